import { times } from './support/times.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { type QueryRunner, DataSource } from 'typeorm';
import { connect } from '../src/database/connect.js';
import { buildIndex } from '../src/database/build-index.js';
import { dataSourceOptions } from '../src/database/data-source-options.js';
import { MetricsServer } from '../src/metrics/metrics-server.js';
import { TEST_KINDS } from './kinds/kinds.js';
import { Caller } from './support/client.js';
import { createDatabase, sql } from './support/database.js';
import { type Fixture, PASSWORD, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/*
 * A database that can't do what it should: it only reads, is full, has locked tables, or belongs to another installation.
 */

jest.setTimeout(90_000);

type TestDatabase = Awaited<ReturnType<typeof createDatabase>>;
let database: TestDatabase;
let service: TestService;
let people: Fixture;
const clients: Client[] = [];

async function client(url = database.url, name = 'somebody'): Promise<Client> {
  const made = new Client({ connectionString: url, application_name: name });
  made.on('error', () => undefined);
  await made.connect();
  clients.push(made);
  return made;
}
const start = (env: Record<string, string> = {}) =>
  startTestService({ kinds: TEST_KINDS, databaseUrl: database.url, env });
/** Waits until something is so. */
async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await is()); await sleep(20))
    if (Date.now() > end) throw new Error('It has not become so.');
}

beforeAll(async () => {
  database = await createDatabase('kinds');
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});
afterEach(async () => {
  for (const one of clients.splice(0)) await one.end();
});

describe('a database that only reads', () => {
  const setReadOnly = async (on: boolean) => {
    const name = new URL(database.url).pathname.slice(1);
    const text = `ALTER DATABASE "${name}" SET default_transaction_read_only = ${on ? 'on' : 'off'}`;
    const admin = await client();
    await admin.query('SET default_transaction_read_only = off');
    await admin.query(text);
    // As in a failover: every session is a new one.
    const others = 'pid <> pg_backend_pid() AND datname = current_database()';
    await admin.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE ${others} AND application_name LIKE 'kindred%'`);
  };
  beforeEach(async () => {
    people = await resetFixture(service);
  });
  afterEach(async () => {
    await setReadOnly(false);
  });

  it('reads on: a session that is due to be extended is no reason to fail', async () => {
    await service.sql(`UPDATE sessions SET "expiresAt" = now() + interval '1 hour'`);
    await setReadOnly(true);
    await until(async () => (await people.owner.call.get('/users/whoami')).status === 200);
    for (const path of ['/users/whoami', '/apikeys', '/dummythings']) {
      const answer = await people.owner.call.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
    }
    // It may also be a fault that must be fixed, so the log tells of it; not at every request.
    expect(service.log.filter((line) => line.includes('a session was not extended: '))).toHaveLength(1);
  });

  it('refuses writes with 503 and Retry-After, and takes them when it writes again', async () => {
    await setReadOnly(true);
    await until(async () => (await people.owner.call.get('/users/whoami')).status === 200);
    const write = () => [
      people.owner.call.post('/dummythings', { name: 'late' }),
      people.owner.call.put(`/users/${people.owner.id}`, { realName: 'Late' }),
      people.owner.call.delete(`/apikeys/${people.owner.key.id}`),
    ];
    for (const answer of await Promise.all([...write(), ...write()])) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(answer.text).not.toMatch(/read.only|transaction|SQL/i);
    }
    const admin = await client();
    await admin.query('SET default_transaction_read_only = off');
    await admin.query(
      `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" RESET default_transaction_read_only`,
    );
    // No session is ended here: the service itself has dropped those that could not write.
    expect((await people.owner.call.post('/dummythings', { name: 'now' })).status).toBe(201);
  });
});

describe('a locked table', () => {
  beforeEach(async () => {
    people = await resetFixture(service);
  });

  it('keeps nobody waiting who reads another one, by id, in lists and when logged in', async () => {
    const made = await people.owner.call.post('/dummythings', { name: 'kept' });
    const thing = String((made.body.props as { id: string }).id);
    for (const path of ['/users', '/apikeys?sortBy=name', '/users/whoami']) await people.owner.call.get(path);
    const holder = await client();
    await holder.query('BEGIN; LOCK TABLE dummythings IN ACCESS EXCLUSIVE MODE');
    const stuck = times(10, (i) =>
      people.anon.get(
        ['/dummythings', `/dummythings/${thing}`, '/dummythings?sortBy=name', '/dummythings?search=kept'][
          i % 4
        ] ?? '',
      ),
    );
    const began = performance.now();
    const others = await Promise.all(
      times(30, (i) => {
        const path =
          ['/users', '/apikeys?sortBy=name', '/users/whoami', `/users/${people.owner.id}`][i % 4] ?? '';
        return people.owner.call.get(path);
      }),
    );
    // Far below the time limit of statements, which is 5 s.
    expect(performance.now() - began).toBeLessThan(3000);
    expect(others.map(({ status }) => status)).toEqual(times(30, () => 200));
    await holder.query('COMMIT');
    expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual(times(10, () => 200));
  });

  it('that everybody needs, users, leaves the service ready, and other kinds quick for those who need no user', async () => {
    // Long enough that nothing that waits for the lock ends by itself.
    const patient = await start({ STATEMENT_TIMEOUT_MS: '120000', METRICS_PORT: '0' });
    const metricsUrl = patient.app.get(MetricsServer, { strict: false }).url;
    const owner = new Caller(patient.url, people.owner.sessionId);
    const made = await owner.post('/dummythings', { name: 'kept' });
    const thing = String((made.body.props as { id: string }).id);
    const holder = await client();
    try {
      await holder.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
      let settled = 0;
      const person = (i: number) => ({
        username: `late${i}`,
        email: `late${i}@mail.test`,
        password: PASSWORD,
      });
      const asks = [
        (i: number) => patient.anon.get(`/users?sortBy=createdAt&page=${i + 1}`),
        () => patient.anon.get(`/users/${people.owner.id}`),
        () => owner.get('/users/whoami'),
        (i: number) => patient.anon.post('/users', person(i)),
        () => patient.anon.post('/sessions', { login: 'owner_u', password: PASSWORD }),
      ];
      const stuck = times(16, (turn) =>
        asks.map((ask, i) => ask(asks.length * turn + i).finally(() => settled++)),
      ).flat();
      // All of them wait that can.
      await until(async () => {
        const waits = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass`;
        const [row] = await sql<{ n: number }>(database.url, waits);
        return (row?.n ?? 0) >= 5;
      });
      for (let turn = 0; turn < 10; turn++) {
        expect((await patient.anon.get('//health/ready')).status).toBe(200);
        expect((await fetch(`${metricsUrl}/health/ready`)).status).toBe(200);
        const paths = [
          `/dummythings/${thing}`,
          '/dummythings',
          `/dummythings?sortBy=name&page=${turn + 1}`,
          '/dummythings?search=kept',
        ];
        for (const path of paths) expect([path, (await patient.anon.get(path)).status]).toEqual([path, 200]);
      }
      // No answer has waited for the end of the lock, as there was none.
      expect(settled).toBe(0);
      await holder.query('COMMIT');
      const statuses = (await Promise.all(stuck)).map(({ status }) => status);
      expect(statuses).toEqual(times(16, () => [200, 200, 200, 201, 201]).flat());
    } finally {
      await holder.query('ROLLBACK');
      await patient.stop();
    }
  });
});

describe('writes to a locked table', () => {
  const blocked = async () => {
    const text = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await sql<{ n: number }>(database.url, text))[0]?.n ?? 0;
  };
  /** Each is a transaction of its own, as it names another user. */
  const stuckIn = (instance: TestService) => {
    const headers = { cookie: `appSessionId=${people.owner.sessionId}` };
    const post = (path: string, body: object) => instance.anon.post(path, body, { headers });
    return {
      stuck: times(40, (i) => post('/dummythings', { name: `n${i}`, buddyId: people.other.id })),
      others: () => Promise.all(times(12, (i) => post('/dummyitems', { name: `n${i}`, category: 'Food' }))),
      alone: () => post('/apikeys', { name: 'meanwhile' }),
    };
  };
  const lock = async () => {
    const holder = await client();
    await holder.query('BEGIN; LOCK TABLE dummythings IN EXCLUSIVE MODE');
    return holder;
  };

  it('leave connections to all other writes', async () => {
    // Nothing ends by itself before the others are through.
    const patient = await start({ STATEMENT_TIMEOUT_MS: '60000' });
    try {
      people = await resetFixture(patient);
      const holder = await lock();
      const { stuck, others, alone } = stuckIn(patient);
      let ended = 0;
      for (const one of stuck) void one.then(() => ended++);
      await until(async () => (await blocked()) >= 9);
      const answers = [...(await others()), await alone()];
      expect(answers.map(({ status }) => status)).toEqual(times(13, () => 201));
      expect(ended).toBe(0);
      await holder.query('COMMIT');
      expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual(times(40, () => 201));
    } finally {
      await patient.stop();
    }
  });

  it('end by the time limit, those that wait for their turn too', async () => {
    const quick = await start({ STATEMENT_TIMEOUT_MS: '500' });
    try {
      people = await resetFixture(quick);
      const holder = await lock();
      const ends = await Promise.all(stuckIn(quick).stuck);
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([503, 504]));
      for (const { status, headers } of ends)
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      await holder.query('ROLLBACK');
      expect((await stuckIn(quick).alone()).status).toBe(201);
    } finally {
      await quick.stop();
    }
  });
});

describe('another APP_SECRET', () => {
  it('does not start, and the right one does', async () => {
    await expect(start({ APP_SECRET: 'another secret for tests, 32 characters' })).rejects.toThrow(
      /^APP_SECRET is not the one that this database has been used with/,
    );
    await (await start()).stop();
    const [row] = await service.sql<{ value: string }>(
      `SELECT value FROM installation WHERE name = 'app-secret'`,
    );
    expect(row?.value).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('DATABASE_CONNECTIONS', () => {
  it('bounds what an instance has open, under load too', async () => {
    const small = await start({ DATABASE_CONNECTIONS: '10' });
    try {
      people = await resetFixture(service);
      const headers = { cookie: `appSessionId=${people.owner.sessionId}` };
      const ours = `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'kindred%'`;
      const count = async () => (await service.sql<{ n: number }>(ours))[0]?.n ?? 0;
      const before = await count();
      const seen: number[] = [];
      const calls = times(60, (i) =>
        i % 2
          ? small.anon.get('/dummythings?sortBy=name')
          : small.anon.post('/dummyitems', { name: `n${i}`, category: 'Food', shelf: 'top' }, { headers }),
      );
      const all = Promise.all(calls);
      for (let i = 0; i < 10; i++) seen.push(await count());
      expect((await all).filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
      expect(Math.max(...seen) - before).toBeLessThanOrEqual(10);
    } finally {
      await small.stop();
    }
  });

  it('stops the start with a sentence where the server is full', async () => {
    const full = await createDatabase('kinds');
    const name = new URL(full.url).pathname.slice(1);
    const candidates = await startTestService({ kinds: TEST_KINDS, databaseUrl: full.url });
    const root = process.env.TEST_DATABASE_URL ?? '';
    try {
      await sql(root, `ALTER DATABASE "${name}" CONNECTION LIMIT 0`);
      await sql(root, `CREATE ROLE kindred_few LOGIN PASSWORD 'few'`);
      await sql(root, `GRANT ALL ON DATABASE "${name}" TO kindred_few`);
      const url = new URL(full.url);
      url.username = 'kindred_few';
      url.password = 'few';
      const lines: string[] = [];
      const refused = connect({
        url: url.href,
        statementTimeoutMs: 1000,
        progress: (line) => lines.push(line),
        patienceMs: 0,
      });
      await expect(refused).rejects.toThrow(
        /The database can’t be used: too many connections .* lower DATABASE_CONNECTIONS/,
      );
    } finally {
      await candidates.stop();
      await full.drop();
      await sql(root, 'DROP ROLE IF EXISTS kindred_few');
    }
  });
});

describe('a server that is full', () => {
  it('is 503 with Retry-After and one line in the log, and serves when it has room again', async () => {
    const root = process.env.TEST_DATABASE_URL ?? '';
    const limit = (most: number) => sql(root, `ALTER ROLE kindred_full CONNECTION LIMIT ${most}`);
    const own = await createDatabase('kinds');
    const [me] = await sql<{ name: string }>(root, 'SELECT current_user AS name');
    await sql(root, `CREATE ROLE kindred_full LOGIN PASSWORD 'full'`);
    let guest: TestService | null = null;
    try {
      // May do what the owner may, but counts.
      await sql(root, `GRANT "${me?.name}" TO kindred_full`);
      const url = new URL(own.url);
      url.username = 'kindred_full';
      url.password = 'full';
      const began = performance.now();
      const full = await startTestService({ kinds: TEST_KINDS, databaseUrl: url.href });
      guest = full;
      people = await resetFixture(full);
      await limit(1); // that of this test
      await sql(
        own.url,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()
         AND usename = 'kindred_full' AND application_name LIKE 'kindred%'`,
      );
      const calls = () => [
        people.anon.get('/users'),
        people.anon.get(`/users/${people.owner.id}`),
        people.owner.call.get('/dummythings?sortBy=name'),
        people.owner.call.post('/dummyitems', { name: 'late', category: 'Food' }),
        people.owner.call.put(`/users/${people.owner.id}`, { realName: 'Late' }),
      ];
      const lines = () => full.log.filter((line) => line.includes('PostgreSQL takes no more connections'));
      await until(async () => (await Promise.all(calls())).every(({ status }) => status === 503));
      await until(() => lines().length > 0);
      for (const answer of await Promise.all(times(4, calls).flat())) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
        expect(answer.text).not.toMatch(/too many|connection|role|kindred_full/i);
      }
      // One in ten seconds at most, however many are refused.
      expect(lines().length).toBeLessThanOrEqual(1 + (performance.now() - began) / 10_000);
      await limit(-1);
      await until(async () =>
        (await Promise.all(calls())).every(({ status }) => [200, 201, 409].includes(status)),
      );
    } finally {
      await guest?.stop();
      await own.drop();
      await sql(root, 'DROP ROLE kindred_full');
    }
  });
});

describe('a migration', () => {
  let own: TestDatabase;
  beforeEach(async () => {
    own = await createDatabase('kinds');
    // As if the last one had not run yet: it makes the table of the secret's fingerprint.
    await sql(own.url, `DELETE FROM migrations WHERE name LIKE 'CountersKeptApart%'`);
    await sql(own.url, 'DROP FUNCTION record_counts_verify(text)');
    await sql(own.url, 'DROP FUNCTION record_counts_gather()');
    await sql(own.url, 'DROP TRIGGER record_counts_own ON record_counts');
    await sql(own.url, 'DROP FUNCTION record_counts_own()');
  });
  afterEach(() => own.drop());
  const migrate = (lines: string[], patienceMs?: number) =>
    connect({
      url: own.url,
      statementTimeoutMs: 1000,
      progress: (line) => lines.push(line),
      ...(patienceMs !== undefined && { patienceMs }),
    });

  it('that would wait for a lock lets others read, says who holds it, and runs when it is free', async () => {
    const holder = await client(own.url, 'a-backup');
    await holder.query('BEGIN; LOCK TABLE record_counts IN ROW EXCLUSIVE MODE');
    const lines: string[] = [];
    const running = migrate(lines);
    await until(() => lines.some((line) => line.includes('lets others go first')));
    const line = lines.find((one) => one.includes('lets others go first')) ?? '';
    expect(line).toMatch(/a lock on record_counts \(held up by process \d+ of a-backup, idle in transaction/);
    // In its pause nothing is in anybody's way.
    await sql(own.url, 'SELECT * FROM record_counts');
    await holder.query('COMMIT');
    await (await running).destroy();
    expect(lines.at(-1)).toMatch(/^Migrated: CountersKeptApart\d+$/);
  });

  it('gives up in the end with a sentence that names the holder', async () => {
    const holder = await client(own.url, 'a-backup');
    await holder.query('BEGIN; LOCK TABLE record_counts IN ROW EXCLUSIVE MODE');
    await expect(migrate([], 0)).rejects.toThrow(/^A migration waits for a lock .* of a-backup.* restart\.$/);
  });

  it('of another instance is waited for, and that is said', async () => {
    const other = await client(own.url, 'kindred-migration-lock');
    await other.query('SELECT pg_advisory_lock(7203000)');
    const lines: string[] = [];
    const running = migrate(lines);
    await until(() => lines.length > 0);
    expect(lines[0]).toMatch(
      /^Waiting for another instance to migrate the database \(process \d+ of the server/,
    );
    await other.end();
    await (await running).destroy();
    expect(lines.at(-1)).toMatch(/^Migrated: /);
  });

  it('that was interrupted, and goes on in the server, is ended first', async () => {
    const left = await client(own.url, 'kindred-migration');
    await left.query('BEGIN; LOCK TABLE record_counts IN ROW EXCLUSIVE MODE');
    // Of the same name in another database, where somebody migrates now.
    const elsewhere = await client(database.url, 'kindred-migration');
    const lines: string[] = [];
    await (await migrate(lines)).destroy();
    expect(lines[0]).toMatch(/^Ending a migration that was interrupted/);
    expect(lines.at(-1)).toMatch(/^Migrated: CountersKeptApart\d+$/);
    await expect(left.query('COMMIT')).rejects.toThrow();
    expect((await elsewhere.query('SELECT 1')).rowCount).toBe(1);
  });

  it('that fails is named with the reason, and nothing of it stays or is written elsewhere', async () => {
    const written = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await sql(own.url, 'CREATE FUNCTION record_counts_own() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
      await expect(migrate([])).rejects.toThrow(
        /^The migration CountersKeptApart\d+ failed: function "record_counts_own" already exists .*\.$/,
      );
      expect(written).not.toHaveBeenCalled();
    } finally {
      written.mockRestore();
      await sql(own.url, 'DROP FUNCTION record_counts_own()');
    }
  });

  it('that builds an index keeps no writer out, and goes on after a crash in the middle', async () => {
    const dataSource = await new DataSource(await dataSourceOptions(own.url, 0)).initialize();
    const runner: QueryRunner = dataSource.createQueryRunner();
    const statement = `CREATE INDEX "ix_dummythings_name" ON "dummythings" ("name")`;
    const state = () =>
      sql(
        own.url,
        `SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = 'ix_dummythings_name'`,
      );
    try {
      const writer = await client(own.url);
      await writer.query(`BEGIN; INSERT INTO dummythings (name) VALUES ('under way')`);
      const building = buildIndex(runner, statement);
      await until(async () => (await state()).length > 0);
      // It waits for the writer, and others write.
      await sql(own.url, `INSERT INTO dummythings (name) VALUES ('meanwhile')`);
      await sql(
        own.url,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()`,
      );
      await expect(building).rejects.toThrow();
      await runner.release().catch(() => undefined);
      expect(await state()).toEqual([{ valid: false }]);
      await writer.query('COMMIT');
      const again = dataSource.createQueryRunner();
      await buildIndex(again, statement);
      expect(await state()).toEqual([{ valid: true }]);
      await buildIndex(again, statement);
      await again.release();
    } finally {
      await dataSource.destroy();
    }
  });
});
