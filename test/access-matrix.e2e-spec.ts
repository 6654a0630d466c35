import { afterAll, describe, expect, it } from '@jest/globals';
import { Database } from '../src/postgres/database.js';
import { ownerScope, owns as ownsInMemory, scopeSql } from '../src/record/access/access.js';
import type { LinkedKind } from '../src/record/schema/kind-graph.js';
import { Params as SqlParams } from '../src/record/sql/kind-sql.js';
import { ApiVersions } from '../src/record/api-versions.js';
import { ANONYMOUS, viewerOf } from '../src/common/viewer.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Answer, Json } from './support/client.js';
import { Factory } from './support/factory.js';
import { addPerson } from './support/fixture.js';
import {
  type Actor,
  couldBe,
  couldSeeProp,
  couldSeeRows,
  expectedList,
  mayCreate,
  owns,
  type Params,
  type StoredRecord,
  refused,
  seenProps,
  seesProp,
  seesRow,
  type Snapshot,
  writeStatus,
} from './support/reference-model.js';
import { inheritingProps, isScarce, isStored, isWritten, ownerProps } from './support/values.js';
import { seedRecords } from './support/seeder.js';
import { type Setup, startSetups, titleOf } from './support/setup.js';
import { actorOf } from './support/actors.js';

/*
 * Verb × actor × kind: what every caller may see and do with every record, against a model that reads the
 * declarations the slow way (support/reference-model.ts). All mismatches of a cell are printed as one table.
 */

const setups = await startSetups(
  { kinds: TEST_KINDS, template: 'kinds' },
  async ({ seeder, actors: { owner, other, developer, admin } }) => {
    await seedRecords(seeder, [owner.id, other.id, null, developer.id, admin.id, owner.id, other.id]);
    return seeder.snapshot();
  },
);
const cells = setups.flatMap((setup) =>
  setup.seeder.kinds.flatMap((kind) =>
    Object.values(setup.actors).map((actor: Actor) => ({
      name: titleOf(kind),
      who: actor.name,
      kind,
      actor,
      setup: setup,
    })),
  ),
);

afterAll(async () => {
  for (const { service } of setups) await service.stop();
});

/** Collects what is not as it should be. */
class Table {
  private readonly rows: string[] = [];

  constructor(
    private readonly kind: LinkedKind,
    private readonly actor: Actor,
  ) {}

  compare(subject: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is === should) return;
    this.rows.push(
      `| ${this.kind.kind} | ${this.actor.name} | ${subject} | expected ${should} | got ${is} |`,
    );
  }

  check(): void {
    expect(this.rows.join('\n')).toBe('');
  }
}

const text = (params: Params) =>
  params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
const items = ({ body }: Answer) => (body.items ?? []) as { props: Json }[];
const shownIds = (answer: Answer) => items(answer).map(({ props }) => props.id as string);
const sorted = (object: Json | null | undefined) =>
  object ? Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) : object;
/** How a record looks from outside: enough to name it in a table. */
const label = (snapshot: Snapshot, record: StoredRecord, actor: Actor) =>
  `#${record.rowId}${owns(snapshot, actor, record) ? ' (own)' : ''}${seesRow(snapshot, actor, record) ? '' : ' (hidden)'}`;

describe.each(cells)('$name as $who', ({ kind, actor, setup }) => {
  const snapshot = setup.prepared;
  const base = `/${kind.path}`;
  const { call } = actor;
  const records = snapshot.all(kind);

  /** The parents that come with a record: those that the caller may know of and see, else null with a warning. */
  const compareRelated = (table: Table, record: StoredRecord, read: Answer): void => {
    const warned: string[] = [];
    for (const [name, { prop }] of kind.parents) {
      const parent = snapshot.parent(record, name);
      const known = seesProp(snapshot, actor, record, prop);
      const seen = known && parent ? seenProps(snapshot, actor, parent) : null;
      const related = (read.body.related as Json | undefined)?.[name] as Json | null | undefined;
      const where = `related ${name} of ${label(snapshot, record, actor)}`;
      table.compare(where, sorted(related?.props as Json), seen ? sorted(seen) : undefined);
      if (!seen) table.compare(where, related, null);
      if (!seen && (parent || !known)) warned.push(name);
    }
    const warnings = (read.body.warnings ?? []) as { code: number; data: string }[];
    table.compare(
      `related of ${label(snapshot, record, actor)}: warnings`,
      warnings.map(({ code, data }) => [code, data]),
      warned.map((name) => [403, name]),
    );
  };

  it('lists and reads answer the records, props, values and parents that the model says', async () => {
    const table = new Table(kind, actor);
    const expected = expectedList(snapshot, kind, actor);
    const list = await call.get(`${base}?itemsPerPage=100`);
    table.compare('list', list.status, expected.status);
    table.compare('list: ids', shownIds(list), expected.ids);
    if (list.status === 200)
      table.compare('list: total', (list.body.paging as Json).totalItems, expected.ids.length);
    const listed = new Map(items(list).map(({ props }) => [props.id, props]));
    for (const record of records) {
      const seen = seenProps(snapshot, actor, record);
      const read = await call.get(`${base}/${record.id}?includeRelated=${[...kind.parents.keys()].join()}`);
      table.compare(`read ${label(snapshot, record, actor)}`, read.status, seen ? 200 : 404);
      table.compare(
        `read ${label(snapshot, record, actor)}: props`,
        sorted(read.body.props as Json),
        sorted(seen) ?? undefined,
      );
      if (seen) compareRelated(table, record, read);
      if (expected.status === 200) {
        table.compare(
          `list ${label(snapshot, record, actor)}: props`,
          sorted(listed.get(record.id)),
          sorted(seen) ?? undefined,
        );
      }
    }
    table.check();
  });

  it('updates and deletions are refused to all but owners', async () => {
    const table = new Table(kind, actor);
    for (const record of records) {
      const status = writeStatus(snapshot, actor, record);
      if (status === 200 && !isWritten(kind)) continue;
      const path = `${base}/${record.id}`;
      table.compare(`update ${label(snapshot, record, actor)}`, (await call.put(path, {})).status, status);
      if (status !== 200)
        table.compare(`delete ${label(snapshot, record, actor)}`, (await call.delete(path)).status, status);
    }
    table.check();
  });

  it('options hold the lists of props that the caller could see or edit', async () => {
    const table = new Table(kind, actor);
    const answer = await call.get(`${base}/options`);
    const may = couldSeeRows(kind, actor) || mayCreate(kind, actor);
    table.compare('options', answer.status, may ? 200 : refused(actor));
    if (may) {
      const couldBeIn = (word: string) =>
        couldBe(kind, actor, word) || (word === 'owner' && mayCreate(kind, actor));
      const listed = kind.props.filter(
        (prop) =>
          (prop.enums ?? prop.options) !== undefined ||
          (prop.relation?.type === 'parent' && prop.relation.acceptedFileExtensions !== undefined),
      );
      const shown = listed.filter((prop) =>
        [...prop.view, ...prop.edit].some(
          (word) => word === 'public' || actor.roles.has(word) || couldBeIn(word),
        ),
      );
      table.compare(
        'options: props',
        Object.keys(answer.body),
        shown.map((prop) => prop.name),
      );
    }
    table.check();
  });

  it('parents and children are answered at their own paths', async () => {
    const table = new Table(kind, actor);
    for (const record of records) {
      const isSeen = seesRow(snapshot, actor, record);
      for (const [name, { prop }] of kind.parents) {
        const answer = await call.get(`${base}/${record.id}/${name.toLowerCase()}`);
        const parent = snapshot.parent(record, name);
        const seen = parent && seenProps(snapshot, actor, parent);
        const known = isSeen && seesProp(snapshot, actor, record, prop);
        const status = !isSeen ? 404 : !known ? refused(actor) : seen ? 200 : 404;
        const where = `${name} of ${label(snapshot, record, actor)}`;
        table.compare(where, answer.status, status);
        table.compare(
          `${where}: props`,
          sorted(answer.body.props as Json),
          status === 200 ? sorted(seen) : undefined,
        );
      }
      for (const [name, child] of kind.children) {
        const answer = await call.get(`${base}/${record.id}/${name.toLowerCase()}?itemsPerPage=100`);
        const where = `${name} of ${label(snapshot, record, actor)}`;
        const known = isSeen && seesProp(snapshot, actor, record, child.prop);
        const expected = expectedList(snapshot, child.kind, actor, [], {
          prop: child.foreignProp,
          id: record.id,
        });
        const status = !isSeen ? 404 : !known ? refused(actor) : expected.status;
        table.compare(where, answer.status, status);
        table.compare(`${where}: ids`, shownIds(answer), status === 200 ? expected.ids : []);
      }
    }
    table.check();
  });

  it('search, filters and sorting use what the caller sees alone', async () => {
    const table = new Table(kind, actor);
    const compare = async (params: Params) => {
      const expected = expectedList(snapshot, kind, actor, params);
      const answer = await call.get(`${base}?itemsPerPage=100&${text(params)}`);
      const where = `list?${text(params)}`;
      table.compare(where, answer.status, expected.status);
      table.compare(`${where}: ids`, shownIds(answer), expected.ids);
      if (expected.status === 200) {
        table.compare(`${where}: total`, (answer.body.paging as Json).totalItems, expected.ids.length);
      }
    };
    // Whoever is refused the list is refused it whatever it asks.
    const asked = couldSeeRows(kind, actor) ? kind.props : kind.props.slice(-1);
    for (const prop of asked) {
      // A value of the owner's and one of somebody else's.
      const values = [0, 1, 3].map((row) => records[records.length - 1 - row]?.props[prop.name]);
      const some = values
        .filter((value) => value !== null && value !== undefined)
        .map(String)
        .slice(0, 2);
      if (prop.filterQuery) for (const value of some) await compare([['search', value.toUpperCase()]]);
      if (prop.filterQualifier) {
        for (const value of some) await compare([[prop.name, value]]);
        await compare([[prop.name, `!=${some[0] ?? 'null'}`]]);
      }
      if (prop.filterRange && some[0] !== undefined) {
        await compare([[`_start_${prop.name}`, some[0]]]);
      }
      if (!isStored(prop) || prop.type === 'json') continue;
      await compare([['sortBy', prop.name]]);
      const isSeen = records.map((record) => seesProp(snapshot, actor, record, prop));
      // Where it is hidden on some records, they stand first going down.
      if (new Set(isSeen).size > 1)
        await compare([
          ['sortBy', prop.name],
          ['sortOrder', 'desc'],
        ]);
      if (couldSeeRows(kind, actor) && !couldSeeProp(kind, actor, prop)) {
        const answer = await call.get(`${base}?sortBy=${prop.name}`);
        table.compare(`sort by ${prop.name}: data`, (answer.body.error as Json).data, prop.name);
      }
    }
    table.check();
  });
});

/** What follows writes: the snapshot above is no longer what is there. */
describe('writes', () => {
  it.each(cells)('create $name as $who', async ({ kind, actor, setup: { seeder } }) => {
    const table = new Table(kind, actor);
    const may = mayCreate(kind, actor);
    if (may && !isWritten(kind)) return;
    if (may && isScarce(kind)) await seeder.clear(kind, actor.id);
    const factory = new Factory(seeder, actor);
    // What only others may set, a group or a role, is missing.
    const isLacking = may && factory.lacking(kind).length > 0;
    // Whoever may not create is refused whatever it posts.
    const answer = await actor.call.post(`/${kind.path}`, may ? await factory.body(kind) : {});
    table.compare('create', answer.status, isLacking ? 422 : may ? 201 : refused(actor));
    if (may && !isLacking) {
      const now = await seeder.snapshot();
      const record = now.get((answer.body.props as Json).id);
      const shown = record && seenProps(now, actor, record);
      // The maker sees what it made by the same rules as ever.
      table.compare('create: props', sorted(answer.body.props as Json), sorted(shown ?? {}));
      if (record && actor.id !== null && kind.create.includes('owner')) {
        table.compare('create: owner', owns(now, actor, record), true);
      }
    }
    table.check();
  });

  it.each(cells)('delete $name as $who', async ({ kind, actor, setup }) => {
    const { service, seeder, actors } = setup;
    const table = new Table(kind, actor);
    for (const whose of [actors.owner, actors.other]) {
      const id = await freshRow(setup, kind, whose);
      const now = await seeder.snapshot();
      const record = now.get(id);
      if (!record) throw new Error('no row');
      const status = writeStatus(now, actor, record);
      if (status === 200 && !isWritten(kind)) continue;
      const shown = seenProps(now, actor, record);
      const answer = await actor.call.delete(`/${kind.path}/${id}?includeMeta=true`);
      table.compare(`delete ${whose.name}'s`, answer.status, status);
      if (status === 200) {
        table.compare('delete: props', sorted(answer.body.props as Json), sorted(shown));
        table.compare('delete: meta', (answer.body.meta as Json).deleted, true);
      }
      const left = await service.sql(`SELECT 1 FROM "${kind.table}" WHERE id = $1`, [record.rowId]);
      table.compare(`delete ${whose.name}'s: rows left`, left.length, status === 200 ? 0 : 1);
    }
    table.check();
  });

  it('lets a user delete itself and nobody else', async () => {
    const [{ service, actors }] = setups;
    const { owner, other } = actors;
    const person = actorOf('itself', await addPerson(service, 'gone_u', 'gone@mail.test', 'Gone'));
    expect((await person.call.delete(`/users/${String(other.id)}`)).status).toBe(403);
    expect((await other.call.delete(`/users/${String(person.id)}`)).status).toBe(403);
    expect((await person.call.delete(`/users/${String(person.id)}`)).status).toBe(200);
    expect((await owner.call.get(`/users/${String(person.id)}`)).status).toBe(404);
    expect((await person.call.get('/users/whoami')).status).toBe(401);
  });
});

describe('ownership in memory and in SQL', () => {
  it('agree on every row of every kind for every sort of viewer', async () => {
    const [{ service, seeder, actors }] = setups;
    const { owner, other, developer, admin } = actors;
    const store = service.app.get(ApiVersions).engine('v1').store;
    const database = service.app.get(Database);
    const { userKind } = seeder.graph;
    const now: Snapshot = await seeder.snapshot();
    const users = [owner, other, developer, admin].map((actor) => ({
      actor,
      viewer: viewerOf(seeder.rowId(userKind, String(actor.id)), actor.roles, '1'),
    }));
    let both = 0;
    let neither = 0;
    for (const kind of seeder.kinds) {
      const sql = store.sql(kind);
      for (const { actor, viewer } of [{ actor: actors.anonymous, viewer: ANONYMOUS }, ...users]) {
        const params = new SqlParams();
        const condition = scopeSql(ownerScope(kind, viewer), kind, viewer, {
          column: (rule) => sql.ruleColumn(rule),
          parameter: (_, value) => params.add(value()),
          isMember: () => 'false',
        });
        const statement = {
          text: `SELECT ${sql.select}, ${condition} AS owned FROM ${sql.from}`,
          values: params.values,
          table: kind.table,
        };
        for (const row of await database.read('list', statement)) {
          const record = now.get(seeder.publicId(kind, String(row.id)));
          const where = `${kind.kind} #${String(row.id)} as ${actor.name}`;
          const inSql = row.owned === true;
          expect([where, ownsInMemory(kind, viewer, row), inSql]).toEqual([where, inSql, inSql]);
          expect([where, inSql]).toEqual([where, record !== null && owns(now, actor, record)]);
          if (inSql) both++;
          else neither++;
        }
      }
    }
    expect(both).toBeGreaterThan(50);
    expect(neither).toBeGreaterThan(50);
  });
});

/** A row of `whose`, directly or through parents of its own, with nothing below it. */
async function freshRow(setup: Setup, kind: LinkedKind, whose: Actor): Promise<string> {
  const { seeder } = setup;
  if (isScarce(kind)) await seeder.clear(kind, whose.id);
  const maker = new Factory(seeder, whose);
  const row = await maker.row(kind);
  for (const prop of ownerProps(kind)) row[prop.name] = whose.id;
  for (const prop of inheritingProps(kind)) {
    row[prop.name] = await freshRow(setup, seeder.graph.get(prop.relation?.kind ?? ''), whose);
  }
  for (const name of Object.keys(row)) {
    const prop = kind.byName.get(name);
    if (prop?.type === 'boolean' && prop.default !== undefined) row[name] = prop.default;
  }
  return seeder.insert(kind, row);
}
