import { type Props } from '../support/answers.js';
import {
  BASE_PROPS,
  carriesGroups,
  inheritingProps,
  isMovable,
  isRuled,
  isScarce,
  isStored,
  isWritten,
  ownerProps,
} from '../support/values.js';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { LinkedKind } from '../../src/record/schema/kind-graph.js';
import { columnOf, type PropDef } from '../../src/record/schema/prop.js';
import { ApiVersions } from '../../src/record/api-versions.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Answer, Json } from '../support/client.js';
import { Factory } from '../support/factory.js';
import { addPerson } from '../support/fixture.js';
import {
  type Actor,
  mayChange,
  mayCreate,
  type Params,
  seesProp,
  type Snapshot,
  type StoredRecord,
} from '../support/reference-model.js';
import type { TestService } from '../support/service.js';
import { seedRecords, type Seeder } from '../support/seeder.js';
import { type Setup, startSetups, titleOf } from '../support/setup.js';
import { inVersion, actorOf } from '../support/actors.js';

/*
 * The walk over all kinds: every declaration of the running service goes through every operation that it promises. A new
 * kind is tested by being there.
 */

/** A service for each version of the API, with records in its tables. */
export const setups = await startSetups({ kinds: TEST_KINDS, template: 'kinds' }, prepare);

afterAll(async () => {
  for (const { service } of setups) await service.stop();
});

/** Fills the tables, and says who makes records in them. */
async function prepare({ version, service, seeder, actors: { owner, other } }: Setup) {
  const chief = inVersion(version, await chiefPerson(service, seeder));
  await seedRecords(seeder, [owner.id, chief.id, other.id, null, owner.id, chief.id, other.id, owner.id]);
  const factories = new Map([owner, chief].map((actor) => [actor, new Factory(seeder, actor)]));
  let cached: Snapshot | null = null;
  return {
    chief,
    factories,
    engine: service.app.get(ApiVersions).engine(version),
    /** The records as they are, read anew only where a test says so. */
    snapshot: async (fresh = false): Promise<Snapshot> => {
      if (fresh || !cached) cached = await seeder.snapshot();
      return cached;
    },
    /** Who makes and owns records of a kind: an ordinary user where the declaration lets one. */
    makerOf: (kind: LinkedKind): Factory => {
      const personal = ownerProps(kind).length > 0 || inheritingProps(kind).length > 0;
      const actor = personal && mayCreate(kind, owner) ? owner : chief;
      const factory = factories.get(actor);
      if (!factory) throw new Error('no factory');
      return factory;
    },
  };
}

/** A user with every role. */
async function chiefPerson(service: TestService, seeder: Seeder): Promise<Actor> {
  const person = await addPerson(service, 'chief_u', 'chief.secret@mail.test', 'Chief');
  const { userKind } = seeder.graph;
  const roles = userKind.props.filter((prop) => prop.type === 'boolean');
  const sets = roles.map((role) => `"${columnOf(role)}" = true`).join(', ');
  await service.sql(`UPDATE users SET ${sets} WHERE id = $1`, [seeder.rowId(userKind, person.id)]);
  return actorOf(
    'chief',
    person,
    roles.map(({ name }) => name),
  );
}

/** The text of a query. */
export const query = (params: Params) =>
  params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
/** Code and subject of each warning. */
export const codedWarnings = ({ body }: Answer): unknown[][] =>
  ((body.warnings ?? []) as Props[]).map(({ code, data }) => [code, data]);
/** An object without some of its members. */
export const without = (object: Props, ...names: string[]): Props =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Ids of all pages of a list. */
export async function listAll(
  actor: Actor,
  path: string,
  params: Params,
): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const text = query([...params, ['itemsPerPage', '100'], ['page', String(page)]]);
    const { status, body, text: raw } = await actor.call.get(`${path}?${text}`);
    if (status !== 200) throw new Error(`GET ${path}?${text}: ${raw}`);
    expect([text, body.warnings]).toEqual([text, undefined]);
    ids.push(...(body.items as Json[]).map((item) => String((item.props as Json).id)));
    const paging = body.paging as Json;
    if (page >= Number(paging.totalPages)) return { ids, total: Number(paging.totalItems) };
  }
}

/** What the first version of the API knows. */
export const [{ seeder: firstSeeder }] = setups;
/** The kind with the most props. */
export const richest = [...firstSeeder.kinds].sort((a, b) => b.props.length - a.props.length)[0];
/** Every kind of every version. */
export const walked = setups.flatMap((setup) =>
  setup.seeder.kinds.map((kind) => ({ name: titleOf(kind), kind, setup })),
);

/** A kind that is walked, with its service. */
export type Walked = (typeof walked)[number];

/** What the tests of one kind need; registers the hook that makes the record they share. */
export function walkOf({ kind, setup }: Walked) {
  const { service, seeder, actors, version } = setup;
  const { other, anonymous } = actors;
  const { chief, factories, engine, snapshot, makerOf } = setup.prepared;
  const maker = makerOf(kind);
  const { actor } = maker;
  const call = actor.call;
  const base = `/${kind.path}`;
  const postable = maker.postable(kind);
  /** Whether the tests write records over the API: not where hooks decide about more than values, or few are possible. */
  const writes = isWritten(kind) && !isScarce(kind);
  const creates = maker.canPost(kind) && writes;
  /** Whether the maker changes and deletes what it owns. */
  const changes = mayChange(kind, actor) && writes;
  const owning = new Set(ownerProps(kind));
  const editable = postable.filter((prop) => !prop.createOnly);
  /** Props that no body may ever set: the service's own, which may follow from others. */
  const derived = kind.props
    .filter((prop) => !prop.edit.length && !BASE_PROPS.includes(prop.name))
    .map((p) => p.name);
  /** Props that may change without who owns the record, or is in its groups, changing. */
  const harmless = editable.filter(
    (prop) => !owning.has(prop) && !inheritingProps(kind).includes(prop) && !carriesGroups(kind, prop),
  );
  /** Those of which any value will do that the declaration allows: no hook asks for more, no unique rule for another. */
  const free = harmless.filter((prop) => !isRuled(kind, prop) && isMovable(kind, prop));
  const hasFiles = (prop: PropDef) =>
    prop.relation?.type === 'parent' && prop.relation.acceptedFileExtensions !== undefined;

  /** The kind with the most props goes through every wrong value; for the others one of each sort will do. */
  const candidates = <T>(values: readonly T[]): readonly T[] =>
    kind === richest ? values : values.slice(0, 1);

  /** A record for all tests that leave it is or don't mind. */
  const shared = { id: '' };
  const self = () => `${base}/${shared.id}`;
  beforeAll(async () => {
    await maker.body(kind); // makes the parents, of which one may be of this kind
    shared.id = writes ? await maker.create(kind) : await maker.parent(kind);
  });

  /** A record as it is in the database now, with all the others. */
  async function stored(id = shared.id): Promise<{ now: Snapshot; record: StoredRecord }> {
    const now = await snapshot(true);
    const record = now.get(id);
    if (!record) throw new Error(`There is no ${kind.kind} ${id}.`);
    return { now, record };
  }
  /** The props that the maker sees on a record. */
  const seenOn = async (id = shared.id): Promise<PropDef[]> => {
    const { now, record } = await stored(id);
    return kind.props.filter((prop) => isStored(prop) && seesProp(now, actor, record, prop));
  };

  const put = (body: unknown, headers = {}) => call.put(self(), body, { headers });
  const same = async (work: () => Promise<void>): Promise<void> => {
    const before = await call.get(self());
    await work();
    const after = await call.get(self());
    expect(after.body).toEqual(before.body);
  };

  async function items(params: Params = []): Promise<{ props: Props }[]> {
    const { status, body } = await call.get(`${base}?${query([...params, ['itemsPerPage', '100']])}`);
    expect(status).toBe(200);
    return body.items as { props: Props }[];
  }

  // Not for records that only the service's own code or others change, or that hooks decide about.
  const whereWritten = changes ? describe : describe.skip;

  return {
    kind,
    service,
    seeder,
    actors: actors,
    version,
    other,
    anonymous,
    chief,
    factories,
    engine,
    snapshot: snapshot,
    makerOf,
    actor,
    maker,
    call,
    base,
    postable,
    changes,
    creates,
    owning,
    editable,
    derived,
    harmless,
    free,
    stored,
    seenOn,
    hasFiles,
    candidates,
    shared,
    self,
    put,
    same,
    items,
    whereWritten,
  };
}
