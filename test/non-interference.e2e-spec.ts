import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LIST_LIMITS } from '../src/record/query/list-query.js';
import type { LinkedKind } from '../src/record/schema/kind-graph.js';
import type { PropDef } from '../src/record/schema/prop.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Json } from './support/client.js';
import { type Actor, isIn, type StoredRecord, seesProp, seesRow } from './support/reference-model.js';
import { isMovable, isRuled, isStored, sampleValue } from './support/values.js';
import { seedRecords } from './support/seeder.js';
import { startSetup } from './support/setup.js';

/*
 * What a caller may not see has no influence on what it gets. Two worlds differ in every value that is hidden from the
 * caller, and in nothing else: the database is changed behind the service's back between the same requests. All answers
 * must be equal to the last byte. As a control, somebody who may see those values gets other answers.
 */

const SEED = 20_261_127;
/** A few long texts make a page too large. */
const PAGE_BYTES = 6000;
const AT_ONCE = 8;

const {
  service,
  seeder,
  actors: actors,
  prepared,
} = await startSetup(
  { kinds: TEST_KINDS, template: 'kinds', env: { MAX_PAGE_BYTES: String(PAGE_BYTES) } },
  async ({ seeder, actors: { owner, developer, admin } }) => {
    await seedRecords(seeder, [owner.id, developer.id, null, admin.id, developer.id, owner.id, admin.id]);
    return seeder.snapshot();
  },
);
const snapshot = prepared;
const { anonymous, owner, other, admin } = actors;

/** So many that each way of asking meets each kind a few times. */
const REQUESTS = Math.max(240, 15 * seeder.kinds.length);

afterAll(() => service.stop());

/** One value that the caller may not see, and what it is in the other world. */
interface Change {
  readonly record: StoredRecord;
  readonly prop: PropDef;
  readonly value: unknown;
}

/** Every hidden value of every record gets another one; the caller's own rights stay as they are. */
function hiddenChanges(caller: Actor): Change[] {
  let n = 700;
  return seeder.kinds.flatMap((kind) =>
    snapshot.all(kind).flatMap((record) =>
      kind.props.flatMap((prop): Change[] => {
        if (!isStored(prop) || prop.name === 'id' || record.id === caller.id || shows(record, prop))
          return [];
        if (seesRow(snapshot, caller, record) && seesProp(snapshot, caller, record, prop)) return [];
        if (!isMovable(kind, prop)) return [];
        const now = record.props[prop.name];
        const value = otherValues(caller, record, prop, n++).find((one) => one !== now);
        return value === undefined ? [] : [{ record, prop, value }];
      }),
    ),
  );
}

function otherValues(caller: Actor, record: StoredRecord, prop: PropDef, n: number): unknown[] {
  const isOptional = !prop.required && !['createdAt', 'updatedAt'].includes(prop.name);
  const none = isOptional && n % 4 === 0 ? [null] : [];
  if (prop.relation?.type !== 'parent') {
    const numbers = prop.unique ? [n] : [n % 5, (n + 1) % 5, (n + 2) % 5];
    const values = numbers.map((one) => sampleValue(record.kind, prop, one));
    // Sizes differ too: every second text has the greatest length that its prop allows.
    return [...none, ...(n % 2 ? values.map((one) => lengthened(record.kind, prop, one)) : values)];
  }
  // Not to or from a record that the caller has a standing on: that could give it rights, or take them away.
  const hasStanding = (one: StoredRecord) =>
    ['owner', ...Object.keys(one.kind.groups)].some((group) => isIn(snapshot, caller, one, group));
  const now = snapshot.get(record.props[prop.name]);
  if (now && hasStanding(now)) return [];
  const parents = snapshot.all(seeder.graph.get(prop.relation.kind)).filter((one) => !hasStanding(one));
  return [...none, ...parents.slice(n % parents.length), ...parents].map((one) => one && one.id);
}

function lengthened(kind: LinkedKind, prop: PropDef, value: unknown): unknown {
  const isFree = prop.format === undefined && prop.options === undefined && !isRuled(kind, prop);
  return typeof value === 'string' && prop.type === 'string' && isFree
    ? value.padEnd(prop.length ?? 0, 'x')
    : value;
}

/** Whether a user's prop is its public display name, or chooses it. */
function shows({ kind, props }: StoredRecord, prop: PropDef): boolean {
  if (kind !== seeder.graph.userKind) return false;
  const chosen = String(props.useAsDisplayName);
  return ['useAsDisplayName', chosen].includes(prop.name) || (!props[chosen] && prop.name === 'username');
}

async function apply(changes: readonly Change[], back = false): Promise<void> {
  for (const { record, prop, value } of changes) {
    await seeder.set(record, prop, back ? record.props[prop.name] : value);
  }
}

/** A request, as numbers that are read against the kinds and the values of both worlds. */
const n = fc.nat(999_999);
const shape = fc.record({
  kind: n,
  path: n,
  where: fc.array(fc.record({ prop: n, how: n, value: n }), { maxLength: 2 }),
  search: n,
  word: n,
  sort: n,
  order: fc.boolean(),
  page: n,
  size: n,
  includes: n,
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
};

/** What a prop is in either world: mostly what was changed, so that most requests ask for what they may not see. */
function textsOf(kind: LinkedKind, prop: PropDef, changes: readonly Change[]): string[] {
  const changed = changes.filter((change) => change.record.kind === kind && change.prop === prop);
  const values = changed.flatMap(({ record, value }) => [record.props[prop.name], value]);
  values.push(
    ...snapshot
      .all(kind)
      .slice(0, 2)
      .map((record) => record.props[prop.name]),
  );
  // No longer than a search may be.
  const texts = values
    .filter((value) => value !== null && typeof value !== 'object')
    .map((value) => String(value).slice(0, LIST_LIMITS.searchCharacters));
  return texts.length ? texts : ['null'];
}

function pathOf(shape: Shape, changes: readonly Change[]): string {
  const { path, page, size, includes } = shape;
  const kind = pick(seeder.kinds, shape.kind);
  let at = `/${kind.path}`;
  let listed: LinkedKind | null = kind;
  let described: LinkedKind | null = kind;
  // Three of four are lists of the kind itself.
  if (path % 4 === 0) {
    const record = pick(snapshot.all(kind), path >> 3);
    const relation = pick([null, ...kind.children.values(), ...kind.parents.values()], path >> 6);
    at = `${at}/${record.id}${relation ? `/${relation.relation.name.toLowerCase()}` : ''}`;
    listed = relation?.relation.type === 'child' ? relation.kind : null;
    described = relation ? relation.kind : kind;
  }
  const params = listed ? listParams(listed, shape, changes) : [];
  if (listed)
    params.push(`itemsPerPage=${pick([100, 100, 1, 3], size)}`, `page=${pick([1, 1, 1, 2, 4], page)}`);
  if (listed && size % 7 === 0) params.push(`maxItems=${pick([1, 4, 9], size >> 3)}`);
  if (includes & 1) params.push('includeMeta=true');
  if (includes & 2) params.push('includeLinks=true');
  if (includes & 4) params.push('includeOptions=true');
  if (includes & 8 && described.parents.size)
    params.push(`includeRelated=${[...described.parents.keys()].join()}`);
  return `${at}?${params.join('&')}`;
}

function listParams(kind: LinkedKind, shape: Shape, changes: readonly Change[]): string[] {
  const params: string[] = [];
  // One way to ask at a time, or all of them together.
  const way = pick(['filter', 'search', 'sort', 'all'], shape.kind >> 5);
  const asks = (one: string) => way === one || way === 'all';
  const filtered = kind.props.filter((prop) => prop.filterQualifier || prop.filterRange);
  for (const { prop: which, how, value } of filtered.length && asks('filter') ? shape.where : []) {
    const prop = pick(filtered, which);
    const text = pick(textsOf(kind, prop, changes), value);
    const isRange = prop.filterRange && (!prop.filterQualifier || how % 3 === 0);
    const sign = pick(['', '', '!=', '<>', '>', '>=', '<', '<='], how >> 3);
    if (isRange)
      params.push(`${pick(['_start_', '_end_'], how >> 2)}${prop.name}=${encodeURIComponent(text)}`);
    else params.push(`${prop.name}=${encodeURIComponent(sign + text)}`);
  }
  const searched = kind.props.filter((prop) => prop.filterQuery);
  if (searched.length && asks('search')) {
    const text = pick(textsOf(kind, pick(searched, shape.search), changes), shape.word);
    const part = shape.word % 3 ? text : text.slice(0, 5);
    params.push(`search=${encodeURIComponent(part)}`);
  }
  if (asks('sort')) params.push(`sortBy=${pick(kind.props, shape.sort).name}`);
  if (asks('sort')) params.push(`sortOrder=${shape.order ? 'asc' : 'desc'}`);
  return params;
}

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly etag: string | null;
  readonly body: Json;
}

async function look(caller: Actor, paths: readonly string[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE).map(async (path) => {
      const { status, headers, body } = await caller.call.get(path);
      return { path, status, etag: headers.get('etag'), body };
    });
    seen.push(...(await Promise.all(some)));
  }
  return seen;
}

const idsIn = (seen: Seen | undefined): string[] =>
  ((seen?.body.items ?? []) as { props: { id: string } }[]).map(({ props }) => props.id);

describe.each([anonymous, other, owner])('what $name may not see', (caller) => {
  const changes = hiddenChanges(caller);
  const shapes = fc.sample(shape, { seed: SEED, numRuns: REQUESTS });
  const paths = shapes.map((one) => pathOf(one, changes));

  it('a value that the caller may not see is in no answer, whatever the caller asks', async () => {
    const before = await look(caller, paths);
    const witness = await look(admin, paths);
    await apply(changes);
    const after = await look(caller, paths);
    const changed = await look(admin, paths);
    await apply(changes, true);

    before.forEach((answer, i) => expect(after[i]).toEqual(answer));
    expect((await seeder.snapshot()).all(seeder.graph.userKind)).toEqual(snapshot.all(seeder.graph.userKind));

    // The control: the requests do reach what was changed, in every way, for one who may see it.
    const told = { body: 0, size: 0, filter: 0, search: 0, sort: 0, related: 0 };
    witness.forEach((one, i) => {
      const two = changed[i];
      if (JSON.stringify(one.body) === JSON.stringify(two?.body)) return;
      told.body++;
      if (one.status !== two?.status) {
        if (two?.status === 422) told.size++;
        return;
      }
      if (idsIn(one).join() === idsIn(two).join()) {
        if (one.path.includes('includeRelated')) told.related++;
        return;
      }
      const asked = [/[?&]search=/, /[?&]sortBy=/, /=[^&]*&itemsPerPage/].map((way) => way.test(one.path));
      if (asked[0] && !asked[1]) told.search++;
      else if (asked[1] && !asked[0]) told.sort++;
      else if (asked[2]) told.filter++;
    });
    for (const [way, times] of Object.entries(told)) expect([way, times > 1]).toEqual([way, true]);
    // And the caller itself is not just refused.
    const good = before.filter(({ status }) => status === 200);
    expect(good.filter((one) => idsIn(one).length > 0).length).toBeGreaterThan(REQUESTS / 10);
  });

  it('every kind has something that some caller may not see', () => {
    const kinds = new Set(changes.map(({ record }) => record.kind.kind));
    const expected = [
      'User',
      'APIKey',
      'DummyThing',
      'DummyInvoice',
      'DummyLineItem',
      'DummyRemark',
      'DummyTopic',
    ];
    expect([...kinds]).toEqual(expect.arrayContaining(expected));
    expect(changes.length).toBeGreaterThan(100);
    const rows = changes.filter(({ record }) => !seesRow(snapshot, caller, record));
    expect([rows.length > 20, changes.length - rows.length > 20]).toEqual([true, true]);
  });
});
