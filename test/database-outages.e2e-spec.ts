import { timed, quick } from './support/quick.js';
import { times } from './support/times.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Answer } from './support/client.js';
import { createDatabase, sql } from './support/database.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';
import { atOnce } from './support/barrier.js';
import { type Link, linkTo } from './support/database-link.js';
import { errorOf, propsOf } from './support/answers.js';

/* What the service answers while its database is away, and when it comes back. */

describe('while the database is unavailable', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let link: Link;
  let service: TestService;
  let f: Fixture;
  beforeEach(async () => {
    database = await createDatabase('kinds');
    link = await linkTo(database.url);
    service = await start('1000');
    f = await resetFixture(service);
  });
  const start = (timeoutMs: string) =>
    startTestService({
      kinds: TEST_KINDS,
      databaseUrl: link.url,
      env: { STATEMENT_TIMEOUT_MS: timeoutMs },
    });
  afterEach(async () => {
    link.thaw();
    try {
      await service.stop();
    } finally {
      await link.close();
      await database.drop();
    }
  });

  /** Every kind of request that needs the database. */
  const ask = (): Promise<Answer>[] => [
    f.anon.get('/users'),
    f.anon.get(`/users/${f.owner.id}`),
    f.owner.call.get('/users/whoami'),
    f.owner.call.get('/dummythings?includeRelated=user'),
    f.owner.call.post('/dummythings', { name: 'lost' }),
    f.owner.call.put(`/users/${f.owner.id}`, { realName: 'lost' }),
    f.admin.call.delete(`/users/${f.other.id}`),
    f.anon.post('/sessions', { apiKey: f.owner.key.id, privateKey: f.owner.key.privateKey }),
    f.anon.post('/sessions', { login: 'owner_u', password: 'wrong wrong' }),
    f.anon.post('/users', { username: 'lost', email: 'lost@mail.test', password: 'lost lost' }),
    f.owner.call.delete('/sessions'),
  ];

  function refused(answers: readonly Answer[]): void {
    for (const answer of answers) {
      // A session that can't be looked up is not an invalid one: no 401, and the cookie stays.
      expect([503, 504]).toContain(answer.status);
      expect(errorOf(answer)).toEqual({ code: answer.status, message: expect.any(String), data: null });
      if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1|57P0|5432|terminat|pg_|connection to/i);
    }
  }

  async function withoutDatabase(): Promise<void> {
    const { result, ms } = await timed(() => Promise.all(ask()));
    refused(result);
    expect(ms).toBeLessThan(quick(6000));
    expect((await f.anon.get('//health/live')).status).toBe(200);
    expect((await f.anon.get('/test')).status).toBe(200);
    expect((await f.anon.get('/nope')).status).toBe(404);
    const ready = await timed(() => f.anon.get('//health/ready'));
    expect(ready.result).toMatchObject({ status: 503, body: { error: { code: 503 } } });
    expect(ready.ms).toBeLessThan(quick(4000));
  }

  /** Service as before, without a restart, within a few seconds; nothing of what was refused is there. */
  async function again(): Promise<void> {
    const { ms } = await timed(async () => {
      for (const end = Date.now() + 8000; Date.now() < end; await sleep(100)) {
        const answers = await Promise.all([
          f.anon.get('//health/ready'),
          f.anon.get('/users'),
          f.owner.call.get('/users/whoami'),
          f.owner.call.put(`/users/${f.owner.id}`, { realName: 'back' }),
        ]);
        if (answers.every(({ status }) => status === 200)) return;
        for (const { status } of answers) expect([200, 503, 504]).toContain(status);
      }
      throw new Error('The service does not come back.');
    });
    expect(ms).toBeLessThan(quick(8000));
    // Every connection of the pools is good, not just one: many at once, each with its own answer.
    const people = [f.owner, f.other, f.admin];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        times(30, (i) => (people[i % 3] ?? f.owner).call.get(`/users/${(people[i % 3] ?? f.owner).id}`)),
      );
      expect(answers.map(({ status }) => status)).toEqual(times(30, () => 200));
      expect(answers.map((answer) => propsOf(answer).username)).toEqual(
        times(30, (i) => people[i % 3]?.username),
      );
      const writes = await Promise.all(
        times(10, (i) => f.owner.call.post('/dummythings', { name: `w${round}_${i}` })),
      );
      expect(writes.map(({ status }) => status)).toEqual(times(10, () => 201));
    }
    expect(
      (await f.anon.post('/sessions', { apiKey: f.owner.key.id, privateKey: f.owner.key.privateKey })).status,
    ).toBe(201);
    expect(service.log.filter((line) => line.includes('"level":"fatal"'))).toEqual([]);
  }

  const names = async () =>
    (await sql<{ name: string }>(database.url, 'SELECT username AS name FROM users'))
      .map(({ name }) => name)
      .sort();

  it('a database that refuses connections means 503 at once, and service afterwards', async () => {
    await link.cut();
    await withoutDatabase();
    await withoutDatabase();
    expect(await names()).toEqual(['admin_u', 'other_u', 'owner_u']);
    expect(await sql(database.url, 'SELECT 1 FROM dummythings')).toEqual([]);
    expect(await sql(database.url, 'SELECT 1 FROM sessions')).toHaveLength(3);
    await link.fix();
    await again();
  });

  it('a database that answers nothing means 503 or 504 within seconds, and no answer goes to the wrong request', async () => {
    link.freeze();
    await withoutDatabase();
    link.thaw();
    await again();
    expect(await names()).toEqual(expect.arrayContaining(['admin_u', 'owner_u']));
  });

  it('requests under way all end, and a write is stored whole or not at all', async () => {
    await service.stop();
    service = await start('30000'); // the writes are held up for longer than a second
    f = await resetFixture(service);
    const made = await Promise.all(times(5, () => f.owner.call.post('/dummythings', { name: 'whole' })));
    const updates = made.map(
      (one, i) => () => f.owner.call.put(`/dummythings/${String(propsOf(one).id)}`, { name: `cut${i}` }),
    );
    // Those of one turn share a statement, so at least one more waits.
    const creates = times(20, (i) => () => f.owner.call.post('/dummythings', { name: `made${i}` }));
    const answers = await atOnceOn('dummythings', [...creates, ...updates], updates.length + 1, async () => {
      const pids = await sql(
        database.url,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'kindred%'`,
      );
      expect(pids.length).toBeGreaterThan(updates.length);
    });
    const reads = await Promise.all(times(20, () => f.owner.call.get('/users')));
    for (const { status } of reads) expect([200, 503]).toContain(status);
    expect(answers.filter(({ status }) => status === 503)).not.toEqual([]);
    for (const [name, status] of [
      ['cut', 200],
      ['made', 201],
    ] as const) {
      const stored = await sql(database.url, 'SELECT 1 FROM dummythings WHERE name ^@ $1', [name]);
      expect(stored).toHaveLength(answers.filter((answer) => answer.status === status).length);
    }
    for (const { status } of answers) expect([200, 201, 503]).toContain(status);
    await again();
  });

  it('a database that takes no connections means 503, not 500', async () => {
    const server = process.env.TEST_DATABASE_URL ?? '';
    const name = new URL(database.url).pathname.slice(1);
    await sql(server, `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    try {
      await sql(server, 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
        name,
      ]);
      refused(await Promise.all([f.anon.get('/users'), f.owner.call.get('/users/whoami')]));
      refused(await Promise.all(ask()));
      expect((await f.anon.get('//health/ready')).status).toBe(503);
    } finally {
      await sql(server, `ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    }
    await again();
    expect(await names()).toEqual(['admin_u', 'other_u', 'owner_u']);
  });

  /** {@link atOnce}, whose own connections go past the link. */
  function atOnceOn(
    table: string,
    calls: (() => Promise<Answer>)[],
    waiting: number,
    meanwhile: () => Promise<void>,
  ): Promise<Answer[]> {
    const direct: TestService = {
      ...service,
      databaseUrl: database.url,
      sql: (text, values) => sql(database.url, text, values),
    };
    return atOnce(direct, table, calls, { waiting, meanwhile });
  }
});
