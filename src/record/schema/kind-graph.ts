import { StartupError } from '../../common/startup-error.js';
import { FIRST_VERSION } from '../../common/api-path.js';
import type { KindDef } from './kind-def.js';
import { NOT_ROLES } from './reserved-names.js';
import { columnOf, type PropDef } from './prop.js';
import { groupsOf, membershipOf } from './groups.js';
import type { Child, Group, LinkedKind, Parent } from './linked-kind.js';

export type { Child, Group, GroupRule, LinkedKind, LinkedMembership, Parent } from './linked-kind.js';

type Building = { -readonly [K in keyof LinkedKind]: LinkedKind[K] } & {
  parents: Map<string, Parent>;
  children: Map<string, Child>;
};

/** Access scopes have a bit for each (access.ts). */
const MAX_GROUPS = 20;

/** Until it is known. */
const NO_OWNERS: Group = { name: 'owner', roles: new Set(), rules: [] };

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
        linkedGroups: [NO_OWNERS] as LinkedKind['linkedGroups'],
        linkedMembership: null,
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
    for (const kind of building.values()) checkGroups(kind, roles);
    for (const kind of building.values()) checkWords(kind, roles);
    for (const kind of building.values()) kind.linkedMembership = membershipOf(kind, userKind);
    for (const kind of building.values()) kind.linkedGroups = groupsOf(kind, building, userKind);
    return new KindGraph(
      [...building.values()].map((kind) => Object.freeze(kind)),
      userKind,
      version,
    );
  }

  /** @throws Error if there is no such kind, which is a bug, not an invalid request. */
  get(name: string): LinkedKind {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`No kind is called ${name}.`);
    return kind;
  }

  all(): readonly LinkedKind[] {
    return [...this.kinds.values()];
  }
}

/** The roles of a user kind: its boolean props, also those that a version does not show. */
export function rolesOf(userKind: Pick<KindDef, 'columns'>): string[] {
  return userKind.columns.filter((prop) => prop.type === 'boolean').map(columnOf);
}

/** A relation's name as a path segment: `avatarUsers` is at `/avatarusers`. */
export const segmentOf = (relation: string) => relation.toLowerCase();

/** A parent relation of a kind by its name. @throws Error when there is none: a fault of the program */
export function parentOf(kind: LinkedKind, name: string): Parent {
  const parent = kind.parents.get(name);
  if (!parent) throw new Error(`Kind ${kind.kind} has no parent relation ${name}.`);
  return parent;
}

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

function checkGroups(kind: LinkedKind, roles: ReadonlySet<string>): void {
  const names = Object.keys(kind.groups);
  const fail = (fix: string) => new StartupError(`Kind ${kind.kind}: ${fix}`);
  if (names.length > MAX_GROUPS) throw fail(`it has more than ${MAX_GROUPS} groups.`);
  for (const name of names) {
    if (!/^[a-z][A-Za-z0-9]*$/.test(name)) throw fail(`group "${name}" must be letters and digits.`);
    if (NOT_ROLES.has(name) || roles.has(name))
      throw fail(`group ${name}: the word means something else in access lists; choose another.`);
    for (const source of kind.groups[name] ?? []) {
      const isWord = typeof source === 'string' && !/^[$^]/.test(source);
      if (isWord && !roles.has(source) && !names.includes(source))
        throw fail(`group ${name} names "${source}", which is no role and no group of the kind.`);
    }
  }
}

function checkWords(kind: LinkedKind, roles: ReadonlySet<string>): void {
  const check = (word: string, where: string, groupsOf: KindDef = kind) => {
    if (NOT_ROLES.has(word) || roles.has(word) || Object.hasOwn(groupsOf.groups, word)) return;
    const groups = Object.keys(groupsOf.groups);
    const known = groups.length ? `; groups of ${groupsOf.kind} are ${groups.join(', ')}` : '';
    throw new StartupError(
      `Kind ${kind.kind}: ${where} names "${word}", which is no role; roles are ${[...roles].join(', ')}${known}.`,
    );
  };
  kind.view.forEach((word) => check(word, 'view'));
  kind.create.forEach((word) => check(word, 'create'));
  kind.write.forEach((word) => check(word, 'write'));
  for (const prop of kind.props)
    [...prop.view, ...prop.edit].forEach((word) => check(word, `prop ${prop.name}`));
  for (const { prop, relation, kind: parent } of kind.parents.values())
    relation.attach?.forEach((word) => check(word, `attach of prop ${prop.name}`, parent));
  for (const entry of kind.owner.filter((word) => !/^[$^]/.test(word))) {
    check(entry, 'owner');
    if (NOT_ROLES.has(entry))
      throw new StartupError(
        `Kind ${kind.kind}: owner names "${entry}": use $prop, ^relation, a group or a role.`,
      );
  }
}

function wrong(kind: KindDef, prop: PropDef, fix: string): StartupError {
  return new StartupError(`Kind ${kind.kind}: prop ${prop.name}: ${fix}`);
}
