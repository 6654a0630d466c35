import type { MembershipSource } from '../../common/viewer.js';
import type { KindDef } from './kind-def.js';
import type { ChildRelation, ParentRelation, PropDef } from './prop.js';

/** A parent relation with the kind at its other end. */
export interface Parent {
  readonly prop: PropDef;
  readonly relation: ParentRelation;
  readonly kind: LinkedKind;
}

/** A child relation with the kind at its other end and the child's prop that points here. */
export interface Child {
  readonly prop: PropDef;
  readonly relation: ChildRelation;
  readonly kind: LinkedKind;
  readonly foreignProp: PropDef;
}

/**
 * One way to be in a group of a record. `hops` are the parent props from the record upward; `column` stands at their end
 * and must not be null: it holds the user, or with `membership` the record that the user must be a member of, or anything
 * with `role`.
 */
export interface GroupRule {
  readonly hops: readonly PropDef[];
  readonly column: string;
  /** Set: whoever has this role is in the group of the records whose `column` is not null. */
  readonly role: string | null;
  /** Set: who has such a membership of the record in `column`. */
  readonly membership: MembershipSource | null;
  /** The key of the column's value in a row read by the engine. */
  readonly key: string;
}

/** Users by record, under a word that access lists may name. */
export interface Group {
  readonly name: string;
  /** Roles that are in the group of every record of the kind. */
  readonly roles: ReadonlySet<string>;
  readonly rules: readonly GroupRule[];
}

/** The props of a kind of memberships, found. */
export interface LinkedMembership {
  readonly user: PropDef;
  readonly record: PropDef;
  readonly role: PropDef | null;
  readonly until: PropDef | null;
  readonly accepted: PropDef | null;
}

/** A kind with its relations resolved: what the engine works with. */
export interface LinkedKind extends KindDef {
  readonly byName: ReadonlyMap<string, PropDef>;
  /** The props by the columns that hold them. */
  readonly byColumn: ReadonlyMap<string, PropDef>;
  readonly parents: ReadonlyMap<string, Parent>;
  readonly children: ReadonlyMap<string, Child>;
  /** The owners, then the groups in order of declaration. */
  readonly linkedGroups: readonly [owners: Group, ...groups: Group[]];
  /** Set: its records are memberships. */
  readonly linkedMembership: LinkedMembership | null;
}
