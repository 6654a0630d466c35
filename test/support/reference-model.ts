import type { MembershipOf } from '../../src/record/schema/kind-def.js';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import type { PropDef } from '../../src/record/schema/prop.js';
import type { Caller } from './client.js';

/*
 * The reference model: what the API lets a caller see and do, worked out from the declarations the slow and obvious way, on records
 * in memory. It shares nothing with src/record/access/access.ts and list-query.ts, which it is there to check.
 */

/** Somebody who calls the service, as the model sees them. */
export interface Actor {
  readonly name: string;
  /** Public id of the user; null for the caller without a session. */
  readonly id: string | null;
  readonly roles: ReadonlySet<string>;
  readonly call: Caller;
}

/** A record as it is in the database: every stored prop, ids in their public form. */
export interface StoredRecord {
  readonly kind: LinkedKind;
  readonly id: string;
  readonly rowId: bigint;
  readonly props: Readonly<Record<string, unknown>>;
}

/** All records of all kinds at one moment. */
export class Snapshot {
  private readonly byId = new Map<string, StoredRecord>();

  constructor(private readonly records: ReadonlyMap<string, readonly StoredRecord[]>) {
    for (const list of records.values()) for (const record of list) this.byId.set(record.id, record);
  }

  all(kind: LinkedKind): readonly StoredRecord[] {
    return this.named(kind.kind);
  }

  named(kind: string): readonly StoredRecord[] {
    return this.records.get(kind) ?? [];
  }

  get(id: unknown): StoredRecord | null {
    return typeof id === 'string' ? (this.byId.get(id) ?? null) : null;
  }

  parent(record: StoredRecord, relation: string): StoredRecord | null {
    const prop = record.kind.parents.get(relation)?.prop;
    return prop ? this.get(record.props[prop.name]) : null;
  }
}

/** Whether the actor is in a group of the record's: `owner`, or one that the kind declares. */
export function isIn(snapshot: Snapshot, actor: Actor, record: StoredRecord, word: string): boolean {
  return sourcesOf(record.kind, word).some((source) => {
    if (typeof source !== 'string') return isMember(snapshot, actor, record, source);
    if (source.startsWith('$')) return actor.id !== null && record.props[source.slice(1)] === actor.id;
    if (!source.startsWith('^'))
      return source in record.kind.groups ? isIn(snapshot, actor, record, source) : actor.roles.has(source);
    const [relation = '', theirs = word] = source.slice(1).split('.');
    const parent = snapshot.parent(record, relation);
    return parent !== null && isIn(snapshot, actor, parent, theirs);
  });
}

/** Whether the actor has a membership of the record that holds now. */
function isMember(
  snapshot: Snapshot,
  actor: Actor,
  record: StoredRecord,
  { membership, roles }: MembershipOf,
): boolean {
  return snapshot.named(membership).some(({ kind, props }) => {
    const { user, record: opened, role, until, accepted } = kind.membership ?? { user: '', record: '' };
    if (actor.id === null || props[user] !== actor.id || props[opened] !== record.id) return false;
    if (accepted !== undefined && props[accepted] !== true) return false;
    const end = until === undefined ? null : props[until];
    if (typeof end === 'string' && Date.parse(end) <= Date.now()) return false;
    return roles === undefined || (role !== undefined && roles.includes(String(props[role])));
  });
}

const sourcesOf = (kind: LinkedKind, word: string) =>
  word === 'owner' ? kind.owner : (kind.groups[word] ?? []);

/** Whether the actor owns the record. */
export function owns(snapshot: Snapshot, actor: Actor, record: StoredRecord): boolean {
  return isIn(snapshot, actor, record, 'owner');
}

/** Whether an access list lets the actor in, given which of the kind's groups it is in. */
function allowed(
  kind: LinkedKind,
  who: readonly string[],
  actor: Actor,
  isOf: (group: string) => boolean,
): boolean {
  return who.some((word) => {
    if (word === 'public') return true;
    return word === 'owner' || word in kind.groups ? isOf(word) : actor.roles.has(word);
  });
}

/** Whether the actor could be in a group of some record of the kind, now or later. */
export function couldBe(kind: LinkedKind, actor: Actor, word: string): boolean {
  return sourcesOf(kind, word).some((source) => {
    if (typeof source !== 'string' || source.startsWith('$')) return actor.id !== null;
    if (!source.startsWith('^'))
      return source in kind.groups ? couldBe(kind, actor, source) : actor.roles.has(source);
    const [relation = '', theirs = word] = source.slice(1).split('.');
    const parent = kind.parents.get(relation);
    return parent !== undefined && couldBe(parent.kind, actor, theirs);
  });
}

/** Whether an access list of the record's kind lets the actor in. */
export const letsIn = (
  snapshot: Snapshot,
  actor: Actor,
  record: StoredRecord,
  who: readonly string[],
): boolean => allowed(record.kind, who, actor, (word) => isIn(snapshot, actor, record, word));
const couldLetIn = (kind: LinkedKind, actor: Actor, who: readonly string[]): boolean =>
  allowed(kind, who, actor, (word) => couldBe(kind, actor, word));

/** Whether the actor may see the record at all. */
export function seesRow(snapshot: Snapshot, actor: Actor, record: StoredRecord): boolean {
  return letsIn(snapshot, actor, record, record.kind.view);
}

const viewers = (prop: PropDef): readonly string[] => (prop.writeOnly ? [] : [...prop.view, ...prop.edit]);

/** Whether the actor sees a prop on a record that it sees. */
export function seesProp(snapshot: Snapshot, actor: Actor, record: StoredRecord, prop: PropDef): boolean {
  return letsIn(snapshot, actor, record, viewers(prop));
}

/** Whether the actor can see some record of the kind, now or later. */
export function couldSeeRows(kind: LinkedKind, actor: Actor): boolean {
  return couldLetIn(kind, actor, kind.view);
}

/** Whether the actor can see a prop on some record, now or later. */
export function couldSeeProp(kind: LinkedKind, actor: Actor, prop: PropDef): boolean {
  return couldLetIn(kind, actor, viewers(prop));
}

/** Whether the actor may set a prop of a record that it owns and is in no other group of. */
export function mayEdit(actor: Actor, prop: PropDef): boolean {
  const isLetIn = (word: string) => word === 'public' || word === 'owner' || actor.roles.has(word);
  return !prop.noSetAll && prop.edit.some(isLetIn);
}

/** Whether the actor may change a record that it owns and is in no other group of. */
export const mayChange = (kind: LinkedKind, actor: Actor): boolean =>
  !kind.readOnly && allowed(kind, kind.write, actor, (word) => word === 'owner');

/** What an update or a deletion of a record answers, but for what is wrong with the body. */
export function writeStatus(snapshot: Snapshot, actor: Actor, record: StoredRecord): number {
  if (!seesRow(snapshot, actor, record)) return 404;
  return letsIn(snapshot, actor, record, record.kind.write) && !record.kind.readOnly ? 200 : refused(actor);
}

/** What `create` says; `owner`, or of a group, is anybody who is logged in. */
export function mayCreate(kind: LinkedKind, actor: Actor): boolean {
  return allowed(kind, kind.create, actor, () => actor.id !== null);
}

/** The status of a refusal: log in first, or you may not. */
export const refused = (actor: Actor): number => (actor.id === null ? 401 : 403);

/** `props` of a record as the actor sees it; null when the record is hidden. */
export function seenProps(
  snapshot: Snapshot,
  actor: Actor,
  record: StoredRecord,
): Record<string, unknown> | null {
  if (!seesRow(snapshot, actor, record)) return null;
  return Object.fromEntries(
    record.kind.props
      .filter((prop) => prop.name in record.props && seesProp(snapshot, actor, record, prop))
      .map((prop) => [prop.name, record.props[prop.name]]),
  );
}

/** The answer to a list request, over all of its pages. */
export interface ListAnswer {
  readonly status: number;
  /** Ids of all matching records in order, whatever the page. */
  readonly ids: readonly string[];
}

/** Query parameters, in order; a name may be repeated. */
export type Params = readonly (readonly [name: string, value: string])[];

/** What a list answers, whole: the ids that match, in order. `parent`: only records whose prop holds this id. */
export function expectedList(
  snapshot: Snapshot,
  kind: LinkedKind,
  actor: Actor,
  params: Params = [],
  parent?: { readonly prop: PropDef; readonly id: string },
): ListAnswer {
  const none = (status: number): ListAnswer => ({ status, ids: [] });
  if (!couldSeeRows(kind, actor)) return none(refused(actor));
  // A child list is a filter by the prop that points to the parent.
  if (parent && !couldSeeProp(kind, actor, parent.prop)) return none(403);
  const values = (name: string) =>
    params.filter(([key, value]) => key === name && value !== '').map(([, v]) => v);
  let records = snapshot
    .all(kind)
    .filter((record) => seesRow(snapshot, actor, record))
    .filter(
      (record) =>
        !parent ||
        (record.props[parent.prop.name] === parent.id && seesProp(snapshot, actor, record, parent.prop)),
    );
  for (const prop of kind.props) {
    const tests = conditions(prop, values);
    if (!tests.length) continue;
    if (!couldSeeProp(kind, actor, prop)) return none(403);
    records = records.filter(
      (record) => seesProp(snapshot, actor, record, prop) && tests.every((test) => test(record)),
    );
  }
  const words = values('search').map((text) => text.toLowerCase());
  if (words.length) {
    const searched = kind.props.filter((prop) => prop.filterQuery);
    records = records.filter((record) =>
      searched.some((prop) => {
        const text = record.props[prop.name];
        if (typeof text !== 'string' || !seesProp(snapshot, actor, record, prop)) return false;
        return words.some((word) => text.toLowerCase().includes(word));
      }),
    );
  }
  const sortBy = kind.props.find((prop) => prop.name === (values('sortBy')[0] ?? 'createdAt'));
  if (!sortBy || sortBy.writeOnly || ['json', 'virtual'].includes(sortBy.type)) return none(422);
  if (!couldSeeProp(kind, actor, sortBy)) return none(403);
  const key = (record: StoredRecord) =>
    seesProp(snapshot, actor, record, sortBy) ? sortKey(snapshot, record, sortBy) : null;
  const sign = values('sortOrder')[0] === 'desc' ? -1 : 1;
  const sorted = [...records].sort(
    (a, b) => sign * (ascending(key(a), key(b)) || ascending(a.rowId, b.rowId)),
  );
  return { status: 200, ids: sorted.map((record) => record.id) };
}

function conditions(
  prop: PropDef,
  values: (name: string) => string[],
): ((record: StoredRecord) => boolean)[] {
  const tests: ((record: StoredRecord) => boolean)[] = [];
  const exact = prop.filterQualifier ? values(prop.name) : [];
  if (exact.length) tests.push((record) => exact.some((text) => matches(record, prop, text)));
  if (prop.filterRange) {
    for (const text of values(`_start_${prop.name}`))
      tests.push((record) => matches(record, prop, `>=${text}`));
    for (const text of values(`_end_${prop.name}`))
      tests.push((record) => matches(record, prop, `<=${text}`));
  }
  return tests;
}

/** One qualifier on one record. */
function matches(record: StoredRecord, prop: PropDef, text: string): boolean {
  const sign = ['>=', '<=', '<>', '!=', '>', '<'].find((operator) => text.startsWith(operator)) ?? '';
  const operand = text.slice(sign.length);
  const value = record.props[prop.name];
  const differs = sign === '<>' || sign === '!=';
  if (operand === 'null') return (value === null) !== differs;
  const wanted: unknown =
    prop.type === 'int' ? Number(operand) : prop.type === 'boolean' ? operand === 'true' : operand;
  if (differs) return value !== wanted;
  if (value === null) return false;
  const order = ascending(value as Key, wanted as Key);
  switch (sign) {
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    default:
      return order === 0;
  }
}

type Key = string | number | bigint | boolean | null;

function sortKey(snapshot: Snapshot, record: StoredRecord, prop: PropDef): Key {
  const value = record.props[prop.name];
  if (prop.type !== 'id') return value as Key;
  // Ids sort as the integers that they hide.
  return prop.name === 'id' ? record.rowId : (snapshot.get(value)?.rowId ?? null);
}

/** Nulls last. */
function ascending(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
