import { StartupError } from '../../common/startup-error.js';
import { FIRST_VERSION } from '../../common/api-path.js';
import type { KindDef } from './kind-def.js';
import { NOT_ROLES } from './reserved-names.js';
import { type ChildRelation, columnOf, type ParentRelation, type PropDef } from './prop.js';

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
 * One way to own a record. `hops` are the parent props from the record upward; `column` is the user id at their
 * end, or for an inherited role the last hop, which must not be null: a null never makes an owner.
 */
export interface OwnerRule {
  readonly hops: readonly PropDef[];
  readonly column: string;
  /** Set: whoever has this role owns the records whose `column` is not null. */
  readonly role: string | null;
  /** The key of the column's value in a row read by the engine. */
  readonly key: string;
}

/** A kind with its relations resolved: what the engine works with. */
export interface LinkedKind extends KindDef {
  readonly byName: ReadonlyMap<string, PropDef>;
  /** The props by the columns that hold them. */
  readonly byColumn: ReadonlyMap<string, PropDef>;
  readonly parents: ReadonlyMap<string, Parent>;
  readonly children: ReadonlyMap<string, Child>;
  /** Roles that own every record of the kind. */
  readonly ownerRoles: ReadonlySet<string>;
  readonly ownerRules: readonly OwnerRule[];
}

type Building = { -readonly [K in keyof LinkedKind]: LinkedKind[K] } & {
  parents: Map<string, Parent>;
  children: Map<string, Child>;
};

/** All kinds of a version of the API, linked to each other. */
export class KindGraph {
  private readonly kinds: ReadonlyMap<string, LinkedKind>;

  private constructor(
    kinds: readonly LinkedKind[],
    /** The kind whose records are the users and whose boolean props are the roles. */
    readonly userKind: LinkedKind,
    readonly version: string,
  ) {
    this.kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
  }

  /**
   * Resolves every name that a declaration uses for something outside its own kind.
   * @throws StartupError naming kind, prop and the fix.
   */
  static link(defs: readonly KindDef[], userKindName: string, version = FIRST_VERSION): KindGraph {
    const building = new Map<string, Building>();
    for (const def of defs) {
      if (building.has(def.kind)) throw new StartupError(`Kind ${def.kind} is declared twice; rename one.`);
      const twin = defs.find((other) => other !== def && other.path === def.path);
      if (twin)
        throw new StartupError(`Kinds ${def.kind} and ${twin.kind} have the same path "${def.path}".`);
      const empty = {
        byName: new Map(def.props.map((prop) => [prop.name, prop])),
        byColumn: new Map(def.props.map((prop) => [columnOf(prop), prop])),
        parents: new Map(),
        children: new Map(),
        ownerRoles: new Set<string>(),
        ownerRules: [],
      };
      building.set(def.kind, { ...def, ...empty });
    }
    const userKind = building.get(userKindName);
    if (!userKind) throw new StartupError(`There is no kind ${userKindName} to hold the users.`);
    const roles = new Set(rolesOf(userKind));
    for (const role of roles) {
      if (!NOT_ROLES.has(role)) continue;
      throw new StartupError(
        `Kind ${userKind.kind}: prop ${role}: a boolean of it is a role, and "${role}" means something else in access lists; choose another name.`,
      );
    }
    for (const kind of building.values()) linkParents(kind, building);
    for (const kind of building.values()) linkChildren(kind, building);
    for (const kind of building.values()) checkWords(kind, roles);
    for (const kind of building.values()) {
      const rules = ownerRules(kind, userKind, []);
      kind.ownerRoles = new Set(rules.flatMap((rule) => (rule.role && isCertain(rule) ? [rule.role] : [])));
      // Short keys: PostgreSQL cuts names at 63 bytes.
      kind.ownerRules = rules
        .filter((rule) => !isCertain(rule))
        .map((rule, i) => (rule.hops.length ? { ...rule, key: `$owner${i}` } : rule));
    }
    return new KindGraph(
      [...building.values()].map((kind) => Object.freeze(kind)),
      userKind,
      version,
    );
  }

  /** @throws Error when there is no such kind: a fault of the program, not of a request. */
  get(name: string): LinkedKind {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`No kind is called ${name}.`);
    return kind;
  }

  all(): readonly LinkedKind[] {
    return [...this.kinds.values()];
  }
}

/** The role names that a user kind brings: its boolean props, also those that a version does not show. */
export function rolesOf(userKind: Pick<KindDef, 'columns'>): string[] {
  return userKind.columns.filter((prop) => prop.type === 'boolean').map(columnOf);
}

/** A relation's name as a path segment: `avatarUsers` is at `/avatarusers`. */
export const segmentOf = (relation: string) => relation.toLowerCase();

/** The relation at a path segment of a record. */
export function relationAt(kind: LinkedKind, segment: string): Parent | Child | null {
  for (const [name, relation] of [...kind.parents, ...kind.children]) {
    if (segmentOf(name) === segment) return relation;
  }
  return null;
}

function linkParents(kind: Building, all: ReadonlyMap<string, Building>): void {
  for (const prop of kind.props) {
    if (prop.relation?.type !== 'parent') continue;
    const relation = prop.relation;
    const parent = all.get(relation.kind);
    if (!parent)
      throw wrong(kind, prop, `there is no kind ${relation.kind}; import its module in app.module.ts.`);
    addRelation(kind, prop, relation.name);
    kind.parents.set(relation.name, { prop, relation, kind: parent });
  }
}

function linkChildren(kind: Building, all: ReadonlyMap<string, Building>): void {
  for (const prop of kind.props) {
    if (prop.relation?.type !== 'child') continue;
    const relation = prop.relation;
    const child = all.get(relation.kind);
    if (!child)
      throw wrong(kind, prop, `there is no kind ${relation.kind}; import its module in app.module.ts.`);
    const candidates = [...child.parents.values()].filter(
      (parent) => parent.kind === kind && (!relation.via || parent.prop.name === relation.via),
    );
    const [only] = candidates;
    if (!only || candidates.length > 1) {
      const props = candidates.map((parent) => parent.prop.name).join(', ');
      throw wrong(
        kind,
        prop,
        only
          ? `say which prop points here with via: ${props}.`
          : `${child.kind} has no parent relation to ${kind.kind}.`,
      );
    }
    addRelation(kind, prop, relation.name);
    kind.children.set(relation.name, { prop, relation, kind: child, foreignProp: only.prop });
  }
}

function addRelation(kind: Building, prop: PropDef, name: string): void {
  if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name))
    throw wrong(kind, prop, `the relation name "${name}" must be letters and digits.`);
  if (relationAt(kind, segmentOf(name)))
    throw wrong(kind, prop, `the relation name ${name} is taken; choose another.`);
  if (name === 'base' || name === 'self')
    throw wrong(kind, prop, `the relation name ${name} is taken by a link.`);
}

function checkWords(kind: LinkedKind, roles: ReadonlySet<string>): void {
  const check = (word: string, where: string) => {
    if (NOT_ROLES.has(word) || roles.has(word)) return;
    throw new StartupError(
      `Kind ${kind.kind}: ${where} names "${word}", which is no role; roles are ${[...roles].join(', ')}.`,
    );
  };
  kind.view.forEach((word) => check(word, 'view'));
  kind.create.forEach((word) => check(word, 'create'));
  for (const prop of kind.props)
    [...prop.view, ...prop.edit].forEach((word) => check(word, `prop ${prop.name}`));
  for (const entry of kind.owner.filter((word) => !/^[$^]/.test(word))) {
    check(entry, 'owner');
    if (NOT_ROLES.has(entry))
      throw new StartupError(`Kind ${kind.kind}: owner names "${entry}": use $prop, ^relation or a role.`);
  }
}

/** All ways to own a record of `kind`, followed through `^relation` entries. `trail`: the kinds passed on the way. */
function ownerRules(kind: LinkedKind, userKind: LinkedKind, trail: readonly LinkedKind[]): OwnerRule[] {
  if (trail.includes(kind)) {
    const path = [...trail, kind].map((step) => step.kind).join(' → ');
    throw new StartupError(
      `Kind ${kind.kind}: ownership goes in a circle (${path}); take one ^relation out.`,
    );
  }
  return kind.owner.flatMap((entry): OwnerRule[] => {
    if (entry.startsWith('^')) {
      const parent = kind.parents.get(entry.slice(1));
      if (!parent)
        throw new StartupError(
          `Kind ${kind.kind}: owner names ${entry}, but there is no parent relation of that name.`,
        );
      refuseFreeOwnership(kind, parent.prop, entry);
      return ownerRules(parent.kind, userKind, [...trail, kind]).map((rule) => inherited(parent.prop, rule));
    }
    if (!entry.startsWith('$')) return [{ hops: [], column: '', role: entry, key: '' }];
    const name = entry.slice(1);
    const prop = kind.byName.get(name);
    const isUser =
      name === 'id'
        ? kind === userKind
        : prop?.relation?.type === 'parent' && prop.relation.kind === userKind.kind;
    if (!isUser)
      throw new StartupError(
        `Kind ${kind.kind}: owner names ${entry}, which is no prop that holds a ${userKind.kind}'s id.`,
      );
    if (prop) refuseFreeOwnership(kind, prop, entry);
    const column = prop ? columnOf(prop) : name;
    return [{ hops: [], column, role: null, key: column }];
  });
}

/** Who may name any parent could give a record to somebody who never asked for it. */
function refuseFreeOwnership(kind: LinkedKind, prop: PropDef, entry: string): void {
  if (prop.relation?.type !== 'parent' || !prop.relation.skipOwnerCheck) return;
  throw wrong(kind, prop, `owner names ${entry}, so skipOwnerCheck must go.`);
}

/** A parent's rule seen from the child: one hop longer. An own column is read as it is, a farther one by an alias. */
function inherited(hop: PropDef, rule: OwnerRule): OwnerRule {
  const hops = [hop, ...rule.hops];
  if (isCertain(rule))
    return hop.required ? rule : { hops: [], column: columnOf(hop), role: rule.role, key: columnOf(hop) };
  // A user's own id at the end of the path is what the last hop already holds.
  if (rule.hops.length === 0 && rule.column === 'id' && rule.role === null) {
    return { hops: [], column: columnOf(hop), role: null, key: columnOf(hop) };
  }
  return { ...rule, hops };
}

/** Whether a rule holds for every record: a role, not inherited or through required parents alone. */
function isCertain(rule: OwnerRule): boolean {
  return rule.column === '';
}

function wrong(kind: KindDef, prop: PropDef, fix: string): StartupError {
  return new StartupError(`Kind ${kind.kind}: prop ${prop.name}: ${fix}`);
}
