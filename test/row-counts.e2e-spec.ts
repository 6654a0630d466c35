import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { TotalsMaintainer } from '../src/record/sql/totals-maintainer.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Json } from './support/client.js';
import { startTestService } from './support/service.js';
import { startSetup } from './support/setup.js';

/*
 * The total of a list without filters is a number that the tables keep, whatever changes their rows. The tests
 * compare it with count(*).
 */

const {
  service,
  seeder,
  actors: actors,
} = await startSetup({ kinds: TEST_KINDS, template: 'kinds' }, () => Promise.resolve());
const userId = seeder.rowId(seeder.graph.userKind, String(actors.owner.id));
const opened: Client[] = [];

async function connection(): Promise<Client> {
  const client = new Client({ connectionString: service.databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  opened.push(client);
  return client;
}

afterEach(async () => {
  for (const client of opened.splice(0)) await client.end();
});
afterAll(() => service.stop());
beforeEach(() =>
  service.sql('TRUNCATE dummythings, dummyinvoices, dummylineitems, dummyremarks, dummytopics CASCADE'),
);

const THINGS = `INSERT INTO dummythings (name, "userId") SELECT 'one', ${userId} FROM generate_series(1, $1::int)`;

/** The total of a list that everybody sees, by the API. */
async function total(path = 'dummythings'): Promise<unknown> {
  const { body } = await actors.anonymous.call.get(`/${path}?itemsPerPage=1`);
  return (body.paging as Json).totalItems;
}

async function counted(table: string): Promise<number> {
  const [row] = await service.sql<{ n: string }>(`SELECT count(*) AS n FROM "${table}"`);
  return Number(row?.n);
}

async function rowsKept(table: string): Promise<number> {
  const [row] = await service.sql<{ n: string }>('SELECT count(*) AS n FROM record_counts WHERE path = $1', [
    table,
  ]);
  return Number(row?.n);
}

describe('the kept total', () => {
  it('follows rows made and deleted, one and many, by the API and by SQL', async () => {
    expect(await total()).toBe(0);
    const made = await actors.owner.call.post('/dummythings', { name: 'first' });
    expect(await total()).toBe(1);
    await service.sql(THINGS, [250]);
    expect(await total()).toBe(251);
    await service.sql('DELETE FROM dummythings WHERE id % 2 = 0');
    const left = await counted('dummythings');
    expect(left).toBeLessThan(251);
    expect(await total()).toBe(left);
    await service.sql('DELETE FROM dummythings WHERE false');
    await service.sql(`UPDATE dummythings SET name = 'other'`);
    expect(await total()).toBe(left);
    await actors.owner.call.delete(`/dummythings/${String((made.body.props as Json).id)}`);
    expect(await total()).toBe(await counted('dummythings'));
    await service.sql('TRUNCATE dummythings CASCADE');
    expect(await total()).toBe(0);
  });

  it('follows what goes with a parent', async () => {
    const [invoice] = await service.sql<{ id: string }>(
      `INSERT INTO dummyinvoices (title, "userId") VALUES ('one', $1) RETURNING id`,
      [userId],
    );
    await service.sql(
      `INSERT INTO dummylineitems (label, "invoiceId") SELECT 'x', $1 FROM generate_series(1, 30)`,
      [invoice?.id],
    );
    expect(await total('dummylineitems')).toBe(30);
    await service.sql('DELETE FROM dummyinvoices');
    expect(await counted('dummylineitems')).toBe(0);
    expect(await total('dummylineitems')).toBe(0);
  });

  it('tells nothing of a transaction that is not over, and nothing ever of one that is given up', async () => {
    const writer = await connection();
    await service.sql(THINGS, [3]);
    await writer.query('BEGIN');
    await writer.query(THINGS, [40]);
    expect(await total()).toBe(3);
    await writer.query('COMMIT');
    expect(await total()).toBe(43);
    await writer.query('BEGIN');
    await writer.query('DELETE FROM dummythings');
    expect(await total()).toBe(43);
    await writer.query('ROLLBACK');
    expect(await total()).toBe(43);
  });

  it('makes no writer wait for another, whichever tables they write and in whichever order', async () => {
    const [one, two] = [await connection(), await connection()];
    const item = `INSERT INTO dummylineitems (label) VALUES ('x')`;
    for (const client of [one, two]) await client.query(`SET lock_timeout = '2s'`);
    await one.query('BEGIN');
    await two.query('BEGIN');
    await one.query(THINGS, [1]);
    await two.query(item);
    // Each now writes what the other has written and not yet committed.
    await one.query(item);
    await two.query(THINGS, [1]);
    await one.query('COMMIT');
    await two.query('COMMIT');
    expect(await total()).toBe(2);
    expect(await total('dummylineitems')).toBe(2);
  });

  it('is exact after many writers at once', async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, connection));
    await Promise.all(
      writers.map(async (writer, w) => {
        for (let i = 0; i < 25; i++) {
          await writer.query(THINGS, [1 + ((w + i) % 3)]);
          if (i % 5 === w % 5)
            await writer.query('DELETE FROM dummythings WHERE id = (SELECT min(id) FROM dummythings)');
        }
      }),
    );
    expect(await counted('dummythings')).toBeGreaterThan(0);
    expect(await total()).toBe(await counted('dummythings'));
  });

  it('is not spread over ever more rows: those of ended connections are added to one', async () => {
    for (let i = 0; i < 8; i++) {
      const client = new Client({ connectionString: service.databaseUrl });
      await client.connect();
      await client.query(THINGS, [2]);
      const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))
        .rows;
      await client.end();
      // The server tells a moment later that it has let go of a connection.
      for (;;) {
        const alive = await service.sql('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid]);
        if (!alive.length) break;
      }
    }
    await service.app.get(TotalsMaintainer, { strict: false }).gather();
    expect(await rowsKept('dummythings')).toBeLessThanOrEqual(2);
    expect(await total()).toBe(16);
  });

  it('a long transaction holds up no other writer, whichever connections have come since it began', async () => {
    const long = await connection();
    await long.query('BEGIN');
    // What it takes for all connections that there are, from here on.
    await long.query('SELECT count(*) FROM pg_stat_activity');
    const writer = await connection();
    await writer.query(`SET lock_timeout = '2s'`);
    await writer.query(THINGS, [1]);
    await long.query(THINGS, [1]);
    await long.query('DELETE FROM dummythings WHERE false');
    await writer.query(THINGS, [1]);
    await service.sql('SELECT record_counts_gather()');
    await writer.query(THINGS, [1]);
    await long.query('COMMIT');
    expect(await total()).toBe(4);
  });

  it('is not read in a transaction that can’t know it', async () => {
    const late = await connection();
    await service.sql(THINGS, [1]);
    for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
      for (const statement of ['TRUNCATE dummythings CASCADE', `SELECT record_counts_begin('dummythings')`]) {
        await late.query(`BEGIN ISOLATION LEVEL ${level}`);
        await late.query('SELECT count(*) FROM users');
        await service.sql(THINGS, [5]);
        await expect(late.query(statement)).rejects.toMatchObject({ code: '0A000' });
        await late.query('ROLLBACK');
      }
    }
    expect(await total()).toBe(21);
    await late.query('BEGIN; TRUNCATE dummythings CASCADE; COMMIT');
    expect(await total()).toBe(0);
  });

  it('is right after a dump of data alone is restored, whatever the search path', async () => {
    await service.sql(THINGS, [6]);
    const kept = await service.sql<{ path: string; backend: number; rows: string }>(
      'SELECT * FROM record_counts',
    );
    const restoring = await connection();
    await restoring.query(`SELECT set_config('search_path', '', false)`);
    await restoring.query('TRUNCATE public.dummythings CASCADE');
    await restoring.query(
      `INSERT INTO public.dummythings (name, "userId") SELECT 'one', ${userId} FROM generate_series(1, 6)`,
    );
    for (const { path, rows } of kept)
      await restoring.query('INSERT INTO public.record_counts VALUES ($1, 999999, $2)', [path, rows]);
    expect(await total()).toBe(6);
    await restoring.query('DELETE FROM public.dummythings');
    await restoring.query(`SELECT public.record_counts_begin('dummythings')`);
    expect(await total()).toBe(0);
  });

  it('is fixed by the daily count, which says so, while others write', async () => {
    const included = await connection();
    const writer = await connection();
    await service.sql(THINGS, [3]);
    await included.query('SET session_replication_role = replica'); // no triggers
    await included.query(THINGS, [7]);
    await writer.query('BEGIN');
    await writer.query(THINGS, [10]);
    expect(await total()).toBe(3);
    const keeper = service.app.get(TotalsMaintainer, { strict: false });
    await keeper.verify();
    expect(await total()).toBe(10);
    await writer.query('COMMIT');
    expect(await total()).toBe(20);
    const lines = () => service.log.filter((line) => line.includes('the kept number of rows was wrong'));
    expect(lines()).toHaveLength(1);
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ kind: 'dummythings', missing: 7 });
    await keeper.verify();
    expect(lines()).toHaveLength(1);
    expect(await total()).toBe(20);
  });

  it('can be counted anew after rows have changed behind its back', async () => {
    const client = await connection();
    await client.query('SET session_replication_role = replica'); // no triggers
    await client.query(THINGS, [7]);
    expect(await total()).toBe(0);
    await service.sql(`SELECT record_counts_begin('dummythings')`);
    expect(await total()).toBe(7);
    await service.sql('DELETE FROM dummythings');
    expect(await total()).toBe(0);
  });
});

describe('lists that are not of all rows', () => {
  it('count what the caller may see, never what the table keeps', async () => {
    await service.sql(
      `INSERT INTO dummyinvoices (title, "userId") SELECT 'one', $1 FROM generate_series(1, 5)`,
      [userId],
    );
    for (const [actor, n] of [
      [actors.owner, 5],
      [actors.other, 0],
      [actors.admin, 5],
    ] as const) {
      const { body } = await actor.call.get('/dummyinvoices?itemsPerPage=1');
      expect((body.paging as Json).totalItems).toBe(n);
    }
    await service.sql(THINGS, [4]);
    await service.sql(`UPDATE dummythings SET amount = 1 WHERE id IN (SELECT id FROM dummythings LIMIT 1)`);
    const { body } = await actors.anonymous.call.get('/dummythings?amount=1&itemsPerPage=1');
    expect((body.paging as Json).totalItems).toBe(1);
  });
});

it('is told missing at the start, before any list could be wrong', async () => {
  const client = await connection();
  await client.query('DROP TRIGGER record_counts_insert ON dummythings');
  try {
    const start = startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl });
    await expect(start).rejects.toThrow(
      'Kind DummyThing: the database is not ready for it. Write the migration: npm run migration:generate -- dummythings',
    );
  } finally {
    await service.sql(`SELECT record_counts_begin('dummythings')`);
  }
});
