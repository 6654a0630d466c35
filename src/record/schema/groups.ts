import { StartupError } from '../../common/startup-error.js';
import type { GroupSource, KindDef, MembershipOf } from './kind-def.js';
import type { Group, GroupRule, LinkedKind, LinkedMembership } from './linked-kind.js';
import { columnOf, type PropDef, type PropTypeName } from './prop.js';

/** The group that every kind has. */
const OWNER = 'owner';

type Kinds = ReadonlyMap<string, LinkedKind>;

/** Resolves the groups of a kind: the owners first, then the groups that it declares. */
export function groupsOf(kind: LinkedKind, kinds: Kinds, userKind: LinkedKind): [Group, ...Group[]] {
  const keys = new Map<string, string>();
  const group = (name: string): Group => {
    const rules = new GroupRules(kinds, userKind, name === OWNER).of(kind, name, []);
    return {
      name,
      roles: new Set(rules.flatMap((rule) => (rule.role !== null && isCertain(rule) ? [rule.role] : []))),
      rules: rules.filter((rule) => !isCertain(rule)).map((rule) => ({ ...rule, key: keyOf(rule, keys) })),
    };
  };
  return [group(OWNER), ...Object.keys(kind.groups).map(group)];
}

/** An own column is read as it is, a farther one by an alias: short, as PostgreSQL cuts names at 63 bytes. */
function keyOf({ hops, column }: GroupRule, keys: Map<string, string>): string {
  if (!hops.length) return column;
  const path = [...hops.map(columnOf), column].join('.');
  const key = keys.get(path) ?? `$far${keys.size}`;
  keys.set(path, key);
  return key;
}

/** Whether a rule holds for every record: a role, not inherited or through required parents alone. */
function isCertain(rule: GroupRule): boolean {
  return rule.column === '';
}

/** Resolves the sources of a group, also those inherited from other kinds. */
class GroupRules {
  /** @param owns whether the group owns the records */
  constructor(
    private readonly kinds: Kinds,
    private readonly userKind: LinkedKind,
    private readonly owns: boolean,
  ) {}

  /** @param trail the groups passed on the way */
  of(kind: LinkedKind, name: string, trail: readonly string[]): GroupRule[] {
    const step = name === OWNER ? kind.kind : `${kind.kind}.${name}`;
    if (trail.includes(step)) {
      const path = [...trail, step].join(' → ');
      const what = this.owns ? 'ownership goes' : `group ${name} goes`;
      throw new StartupError(`Kind ${kind.kind}: ${what} in a circle (${path}); take one ^relation out.`);
    }
    const sources = name === OWNER ? kind.owner : (kind.groups[name] ?? []);
    const where = name === OWNER ? OWNER : `group ${name}`;
    return sources.flatMap((source) => this.rules(kind, name, source, where, [...trail, step]));
  }

  private rules(
    kind: LinkedKind,
    name: string,
    source: GroupSource,
    where: string,
    trail: readonly string[],
  ): GroupRule[] {
    if (typeof source !== 'string') return [this.membership(kind, source, where)];
    if (source.startsWith('^')) return this.inherited(kind, name, source, where, trail);
    if (source.startsWith('$')) return [this.userIn(kind, source, where)];
    if (Object.hasOwn(kind.groups, source)) return this.of(kind, source, trail);
    return [{ hops: [], column: '', role: source, membership: null, key: '' }];
  }

  private inherited(
    kind: LinkedKind,
    name: string,
    source: string,
    where: string,
    trail: readonly string[],
  ): GroupRule[] {
    const [relation = '', theirs = name] = source.slice(1).split('.');
    const parent = kind.parents.get(relation);
    if (!parent) {
      throw new StartupError(
        `Kind ${kind.kind}: ${where} names ${source}, but there is no parent relation of that name.`,
      );
    }
    if (theirs !== OWNER && !Object.hasOwn(parent.kind.groups, theirs)) {
      throw new StartupError(
        `Kind ${kind.kind}: ${where} names ${source}, but ${parent.kind.kind} has no group ${theirs}; declare it there, or take ${source} out.`,
      );
    }
    this.refuseFreeOwnership(kind, parent.prop, source);
    return this.of(parent.kind, theirs, trail).map((rule) => throughParent(parent.prop, rule));
  }

  private userIn(kind: LinkedKind, source: string, where: string): GroupRule {
    const name = source.slice(1);
    const prop = kind.byName.get(name);
    const isUser =
      name === 'id'
        ? kind === this.userKind
        : prop?.relation?.type === 'parent' && prop.relation.kind === this.userKind.kind;
    if (!isUser) {
      throw new StartupError(
        `Kind ${kind.kind}: ${where} names ${source}, which is no prop that holds a ${this.userKind.kind}'s id.`,
      );
    }
    if (prop) this.refuseFreeOwnership(kind, prop, source);
    const column = prop ? columnOf(prop) : name;
    return { hops: [], column, role: null, membership: null, key: column };
  }

  private membership(kind: LinkedKind, source: MembershipOf, where: string): GroupRule {
    const fail = (fix: string) => new StartupError(`Kind ${kind.kind}: ${where}: ${fix}`);
    const memberships = this.kinds.get(source.membership);
    if (!memberships)
      throw fail(`there is no kind ${source.membership}; import its module in app.module.ts.`);
    const props = memberships.linkedMembership;
    if (!props) throw fail(`${source.membership} is no kind of memberships; declare membership there.`);
    if (props.record.relation?.kind !== kind.kind)
      throw fail(`a ${source.membership} opens records of kind ${props.record.relation?.kind ?? 'none'}.`);
    const roles = source.roles ?? null;
    for (const role of roles ?? []) {
      if (props.role?.enums?.includes(role)) continue;
      throw fail(
        `"${role}" is no role of a ${source.membership}; roles are ${props.role?.enums?.join(', ') ?? 'none'}.`,
      );
    }
    const membership = { table: memberships.table, roles };
    return { hops: [], column: 'id', role: null, membership, key: 'id' };
  }

  /** Who may name any parent could give a record to somebody who never asked for it. */
  private refuseFreeOwnership(kind: LinkedKind, prop: PropDef, source: string): void {
    if (!this.owns || prop.relation?.type !== 'parent' || !prop.relation.skipOwnerCheck) return;
    throw new StartupError(
      `Kind ${kind.kind}: prop ${prop.name}: owner names ${source}, so skipOwnerCheck must go.`,
    );
  }
}

/** A parent's rule seen from the child: one hop longer. */
function throughParent(hop: PropDef, rule: GroupRule): GroupRule {
  const own = { hops: [], column: columnOf(hop), key: columnOf(hop) };
  if (isCertain(rule)) return hop.required ? rule : { ...rule, ...own };
  // The id at the end of the path is what the last hop already holds.
  if (rule.hops.length === 0 && rule.column === 'id' && rule.role === null) return { ...rule, ...own };
  return { ...rule, hops: [hop, ...rule.hops] };
}

/** Resolves the props of a kind of memberships. @throws StartupError */
export function membershipOf(kind: LinkedKind, userKind: KindDef): LinkedMembership | null {
  const { membership } = kind;
  if (!membership) return null;
  const fail = (fix: string) => new StartupError(`Kind ${kind.kind}: membership: ${fix}`);
  const find = (what: keyof typeof membership, type: PropTypeName): PropDef => {
    const name = membership[what] ?? '';
    const prop = kind.byName.get(name);
    if (prop?.type !== type) throw fail(`${what} names ${name}, which is no prop of type ${type}.`);
    return prop;
  };
  const parent = (what: 'user' | 'record'): PropDef => {
    const prop = find(what, 'id');
    if (prop.relation?.type !== 'parent')
      throw fail(`${what} names ${prop.name}, which is no parent relation.`);
    if (!prop.required || !prop.createOnly)
      throw fail(`${prop.name} must be required and createOnly, so that a membership is never passed on.`);
    return prop;
  };
  const user = parent('user');
  if (user.relation?.kind !== userKind.kind) throw fail(`user must be a relation to ${userKind.kind}.`);
  return {
    user,
    record: parent('record'),
    role: membership.role === undefined ? null : find('role', 'enum'),
    until: membership.until === undefined ? null : find('until', 'date'),
    accepted: membership.accepted === undefined ? null : find('accepted', 'boolean'),
  };
}
