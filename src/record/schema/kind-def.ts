import type { RecordEntity } from '../record.entity.js';
import type { PropDef, RealId, Who } from './prop.js';

/** The class of a kind. */
export type EntityClass<T extends RecordEntity = RecordEntity> = abstract new () => T;

/**
 * What makes a user one of a group of a record: `$prop` (a parent relation to the user kind), a role, the same group of a
 * parent (`^relation`) or another one of it (`^relation.group`), or a membership that opens the record.
 */
export type GroupSource = string | MembershipOf;

/** A membership that opens the record. */
export interface MembershipOf {
  /** The kind of the memberships. */
  readonly membership: string;
  /** The roles that count; default: any. */
  readonly roles?: readonly string[];
}

/** A kind whose records open another record to a user: the names of its props. */
export interface MembershipProps {
  /** The parent relation to the user kind. */
  readonly user: string;
  /** The parent relation to the record that is opened. */
  readonly record: string;
  /** An enum: what the user is there. */
  readonly role?: string;
  /** A date until which the membership holds; null is without end. */
  readonly until?: string;
  /** A boolean that must be true for the membership to hold. */
  readonly accepted?: string;
}

/** What a kind's author declares beside the props. */
export interface KindOptions {
  /** Unique name, as in `meta.kind` and in relations. */
  readonly kind: string;
  /** Plural path segment; also the table's name. */
  readonly path: string;
  /** What its records are, in Markdown: for the API's description. */
  readonly description?: string;
  /** Who owns a record: `$prop` (a parent relation to the user kind), `$id` (user kind only), a role, `^relation`, a group. */
  readonly owner: readonly string[];
  /** Groups of users by record, which access lists of the kind and of its props may name. */
  readonly groups?: Readonly<Record<string, readonly GroupSource[]>>;
  /** Who may see the rows: `public`, `owner`, groups, roles; empty is nobody. */
  readonly view: Who;
  /** Who may create: `public`, `owner` and groups (who then must own it or be of the group), roles; empty is nobody. */
  readonly create: Who;
  /** Who may change and delete records: `owner`, groups, roles. Default: `owner`. */
  readonly write?: Who;
  /** Set: a record opens another record to a user. */
  readonly membership?: MembershipProps;
  /** Changes to the declarations of id, createdAt and updatedAt. */
  readonly base?: {
    readonly id?: Pick<PropDef, 'filterQualifier'> & RealId;
    readonly createdAt?: Pick<PropDef, 'filterQualifier'>;
    readonly updatedAt?: Pick<PropDef, 'filterQualifier'>;
  };
  /** True: nobody updates or deletes records over the API, not even owners; only the service's own code does. */
  readonly readOnly?: boolean;
  /** False: the kind has a controller of its own instead of the generic routes, and is in no list. */
  readonly generic?: boolean;
  /** How many records one owner may have; 0: any number. Default: MAX_RECORDS_PER_USER. */
  readonly maxPerUser?: number;
  /** The first version of the API that has the kind. Default: the first one. */
  readonly version?: string;
}

/** A kind, frozen: the declaration with its defaults filled in. */
export interface KindDef {
  readonly kind: string;
  readonly path: string;
  readonly description: string;
  readonly owner: readonly string[];
  readonly groups: Readonly<Record<string, readonly GroupSource[]>>;
  readonly view: Who;
  readonly create: Who;
  readonly write: Who;
  readonly membership: MembershipProps | null;
  readonly readOnly: boolean;
  readonly generic: boolean;
  /** Null: MAX_RECORDS_PER_USER. */
  readonly maxPerUser: number | null;
  /** Base props first, then in order of declaration. */
  readonly props: readonly PropDef[];
  readonly entity: EntityClass;
  /** The version of the API that this declaration belongs to. */
  readonly version: string;
  /** The table. */
  readonly table: string;
  /** The columns of a row: the stored props, also those that a later version does not have itself (kind-version.ts). */
  readonly columns: readonly PropDef[];
  /** The class with the table, for a later version of its kind; null for that class itself. */
  readonly storedAs: EntityClass | null;
}
