import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LinkedKind } from '../src/record/kind-graph.js';
import type { PropDef } from '../src/record/prop.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Json } from './support/client.js';
import { type Actor, owns, type Rec, seesProp, seesRow } from './support/oracle.js';
import { isStored, sampleValue } from './support/values.js';
import { seedWorld, startStage } from './support/world.js';

/*
 * What a caller may not see has no influence on what it gets: in one world, a hidden value is changed behind the
 * service's back between two identical requests, and the two answers must be equal to the last byte.
 * As a control, the same requests must tell many visible changes apart.
 */

/** The search is the same one each time; the time is for machines that are very slow. */
const SEED = 20_261_127;
const RUNS = 36;
const MOST_MS = 25_000;
/** Requests before and after each change. */
const REQUESTS = 5;

const {
  service,
  seeder,
  cast,
  prepared: world,
} = await startStage(
  { kinds: TEST_KINDS, template: 'kinds' },
  async ({ seeder, cast: { owner, developer, admin } }) => {
    await seedWorld(seeder, [owner.id, developer.id, null, admin.id, developer.id, owner.id, admin.id]);
    return seeder.world();
  },
);
const { anonymous, owner, other } = cast;

afterAll(() => service.stop());

/** A value of one record, what it is now and what else it could be. */
interface Target {
  readonly record: Rec;
  readonly prop: PropDef;
  readonly values: readonly unknown[];
}

/**
 * The values that the caller may not see (or, for the control, may see) and whose change keeps the caller's own rights
 * as they are.
 */
function targetsOf(caller: Actor, visible: boolean): Target[] {
  const targets: Target[] = [];
  for (const kind of seeder.kinds) {
    for (const record of world.all(kind)) {
      for (const prop of kind.props) {
        if (!isStored(prop) || prop.name === 'id' || record.id === caller.id) continue;
        const isSeen = seesRow(world, caller, record) && seesProp(world, caller, record, prop);
        if (isSeen !== visible) continue;
        const now = record.props[prop.name];
        const values = valuesOf(caller, record, prop).filter((value) => value !== now);
        if (values.length) targets.push({ record, prop, values });
      }
    }
  }
  return targets;
}

function valuesOf(caller: Actor, record: Rec, prop: PropDef): unknown[] {
  if (shows(record, prop)) return [];
  if (prop.relation?.type === 'parent') {
    // Not to or from a record of the caller: that could make it an owner, or no longer one.
    const parents = world
      .all(seeder.graph.get(prop.relation.kind))
      .filter((parent) => !owns(world, caller, parent));
    const now = world.get(record.props[prop.name]);
    if (now && owns(world, caller, now)) return [];
    return [...parents.slice(0, 3).map((parent) => parent.id), ...(prop.required ? [] : [null])];
  }
  const values = [0, 1, 2, 3].map((n) => sampleValue(record.kind, prop, prop.unique ? 700 + n : n));
  const canBeNull = !prop.required && !['createdAt', 'updatedAt'].includes(prop.name);
  return canBeNull ? [...values, null] : values;
}

/** Whether a user's prop is its public display name (interface.md, "User"), or chooses it. */
function shows({ kind, props }: Rec, prop: PropDef): boolean {
  if (kind !== seeder.graph.userKind) return false;
  const chosen = String(props.useAsDisplayName);
  return ['useAsDisplayName', chosen].includes(prop.name) || (!props[chosen] && prop.name === 'username');
}

/** A request, as numbers that are read against the target: so most requests ask about the very value that changes. */
interface Shape {
  readonly path: number;
  readonly where: readonly { readonly prop: number; readonly how: number; readonly value: number }[];
  readonly search: number;
  readonly sort: number;
  readonly order: boolean;
  readonly page: number;
  readonly size: number;
  readonly includes: number;
}

const n = fc.nat(99_999);
const shape: fc.Arbitrary<Shape> = fc.record({
  path: n,
  where: fc.array(fc.record({ prop: n, how: n, value: n }), { maxLength: 2 }),
  search: n,
  sort: n,
  order: fc.boolean(),
  page: n,
  size: n,
  includes: n,
});

const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
};

/** The kinds that have a way to the target: its own, its parents' and its children's. */
function near(kind: LinkedKind): LinkedKind[] {
  return [kind, ...[...kind.parents.values(), ...kind.children.values()].map((one) => one.kind)];
}

function pathOf({ path, page, size, includes, ...shape }: Shape, { record, prop, values }: Target): string {
  const params: string[] = [];
  // Two of three are lists of the target's own kind.
  const own = path % 3 < 2;
  const kind = own ? record.kind : pick(near(record.kind), path);
  let at = `/${kind.path}`;
  let listed: LinkedKind | null = kind;
  if (!own) {
    const one = pick(world.all(kind), path >> 2);
    const way = (path >> 4) % 4;
    const relations = [...kind.children.values(), ...kind.parents.values()];
    if (way === 0) [at, listed] = [`${at}/${one.id}`, null];
    if (way === 1 && relations.length) {
      const relation = pick(relations, path >> 6);
      at = `${at}/${one.id}/${relation.relation.name.toLowerCase()}`;
      listed = relation.relation.type === 'child' ? relation.kind : null;
    }
    if (way === 2) [at, listed] = [`${at}/${record.id}`, null];
  }
  const target = listed ?? kind;
  if (listed) {
    const known = [record.props[prop.name], ...values];
    const textOf = (value: unknown) => (typeof value === 'object' && value !== null ? '' : String(value));
    for (const { prop: which, how, value } of shape.where) {
      const filtered = target.props.filter((one) => one.filterQualifier || one.filterRange);
      if (!filtered.length) break;
      const one = filtered.includes(prop) && which % 4 ? prop : pick(filtered, which);
      const text = textOf(one === prop ? pick(known, value) : pick(world.all(target), value).props[one.name]);
      const sign = pick(['', '', '!=', '<>', '>', '>=', '<', '<='], how);
      if (one.filterRange && how % 3 === 0)
        params.push(`${pick(['_start_', '_end_'], how)}${one.name}=${encodeURIComponent(text)}`);
      else params.push(`${one.name}=${encodeURIComponent(sign + text)}`);
    }
    if (shape.search % 3 === 0) {
      const text = textOf(pick(known, shape.search >> 2));
      const part = shape.search % 2 ? text : text.slice(shape.search % 4, (shape.search % 4) + 4);
      params.push(`search=${encodeURIComponent(part)}`);
    }
    const sorted = shape.sort % 2 && target === record.kind ? prop : pick(target.props, shape.sort >> 1);
    if (shape.sort % 4) params.push(`sortBy=${sorted.name}`, `sortOrder=${shape.order ? 'asc' : 'desc'}`);
    params.push(`itemsPerPage=${pick([100, 100, 1, 3], size)}`, `page=${pick([1, 1, 1, 2, 4], page)}`);
    if (size % 7 === 0) params.push(`maxItems=${pick([1, 4, 9], size)}`);
  }
  if (includes & 1) params.push('includeMeta=true');
  if (includes & 2) params.push('includeLinks=true');
  if (includes & 4) params.push('includeOptions=true');
  const describes = listed ?? (at.split('/').length === 3 ? kind : null);
  if (includes & 8 && describes?.parents.size)
    params.push(`includeRelated=${[...describes.parents.keys()].join()}`);
  return `${at}?${params.join('&')}`;
}

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly etag: string | null;
  readonly body: Json;
}

async function look(caller: Actor, paths: readonly string[]): Promise<Seen[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { status, headers, body } = await caller.call.get(path);
      return { path, status, etag: headers.get('etag'), body };
    }),
  );
}

/** Asks, changes the value, asks again, puts it back. */
async function twice(
  caller: Actor,
  target: Target,
  value: unknown,
  paths: readonly string[],
): Promise<[Seen[], Seen[]]> {
  const { record, prop } = target;
  const before = await look(caller, paths);
  await seeder.set(record, prop, value);
  try {
    return [before, await look(caller, paths)];
  } finally {
    await seeder.set(record, prop, record.props[prop.name]);
  }
}

const settings = (runs: number) => ({
  seed: SEED,
  numRuns: runs,
  interruptAfterTimeLimit: MOST_MS,
  markInterruptAsFailure: false,
});

/** One of the targets; every kind is as likely as the others. */
function pickTarget(targets: readonly Target[], at: number): Target {
  const kinds = [...new Set(targets.map(({ record }) => record.kind))];
  const kind = pick(kinds, at);
  return pick(
    targets.filter(({ record }) => record.kind === kind),
    Math.floor(at / kinds.length),
  );
}

const requests = fc.array(shape, { minLength: REQUESTS, maxLength: REQUESTS });

describe.each([anonymous, other, owner])('what $name may not see', (caller) => {
  const hidden = targetsOf(caller, false);

  it('is in no answer, whatever it asks', async () => {
    const met = new Map<string, number>();
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(n, n, requests, async (which, what, shapes) => {
        const target = pickTarget(hidden, which);
        const paths = shapes.map((one) => pathOf(one, target));
        const value = pick(target.values, what);
        const [before, after] = await twice(caller, target, value, paths);
        const { record, prop } = target;
        const change = `${record.kind.kind} #${record.rowId} ${prop.name}: ${JSON.stringify(value)}`;
        expect({ change, answers: after }).toEqual({ change, answers: before });
        met.set(target.record.kind.kind, (met.get(target.record.kind.kind) ?? 0) + 1);
        for (const { status } of before) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
      settings(RUNS),
    );
    // The requests are not all refused, and no kind with hidden values was left out.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(20);
    expect([...met.keys()].sort()).toEqual([...new Set(hidden.map(({ record }) => record.kind.kind))].sort());
  }, 60_000);

  it('is there to be asked for, in every kind', () => {
    const kinds = new Set(hidden.map(({ record }) => record.kind.kind));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['User', 'APIKey', 'Thing', 'Invoice', 'LineItem', 'Remark']),
    );
    expect(hidden.length).toBeGreaterThan(50);
  });
});

describe('the control', () => {
  const idsIn = (seen: Seen | undefined): string[] =>
    ((seen?.body.items ?? []) as { props: { id: string } }[]).map(({ props }) => props.id);

  it('tells visible changes apart by every sort of request', async () => {
    const visible = targetsOf(owner, true).filter(
      ({ prop }) => !['createdAt', 'updatedAt'].includes(prop.name),
    );
    const told = { body: 0, filter: 0, search: 0, sort: 0, kinds: new Set<string>() };
    let tries = 0;
    await fc.assert(
      fc.asyncProperty(n, n, requests, async (which, what, shapes) => {
        const target = pickTarget(visible, which);
        const paths = shapes.map((one) => pathOf(one, target));
        const [before, after] = await twice(owner, target, pick(target.values, what), paths);
        before.forEach((first, i) => {
          tries++;
          const second = after[i];
          if (JSON.stringify(first.body) === JSON.stringify(second?.body)) return;
          told.body++;
          told.kinds.add(target.record.kind.kind);
          const [one, two] = [first, second].map((seen) => idsIn(seen).join());
          if (one === two) return;
          const isOtherSet = idsIn(first).sort().join() !== idsIn(second).sort().join();
          told[!isOtherSet ? 'sort' : first.path.includes('search=') ? 'search' : 'filter']++;
        });
      }),
      settings(RUNS),
    );
    expect(told.body / tries).toBeGreaterThan(0.1);
    for (const way of ['filter', 'search', 'sort'] as const)
      expect([way, told[way] > 0]).toEqual([way, true]);
    expect(told.kinds.size).toBeGreaterThan(4);
  }, 60_000);
});
