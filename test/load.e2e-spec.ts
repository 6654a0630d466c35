import { timed, quick } from './support/quick.js';
import { times } from './support/times.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiKey } from '../src/kinds/api-key/api-key.entity.js';
import { FileCleaner } from '../src/files/file-cleaner.js';
import { User } from '../src/kinds/user/user.entity.js';
import { kindOf } from '../src/record/schema/kind.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Caller } from './support/client.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';
import { resetStatements, statementCounts } from './support/statements.js';
import { errorOf, itemsOf, propsOf } from './support/answers.js';

/* What one request costs: its statements, the size of its answer, and how long others wait for it. */

describe('one request', () => {
  let service: TestService;
  let f: Fixture;
  beforeAll(async () => {
    service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
    // Statements are counted, and the cleaner's cycles are none of a request's.
    await service.app.get(FileCleaner, { strict: false }).onApplicationShutdown();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    f = await resetFixture(service);
  });

  const addUsers = (from: number, to: number) =>
    service.sql(
      `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash")
       SELECT 'many' || i, 'many' || i, 'many' || i || '@mail.test', 'many' || i || '@mail.test', 'Many ' || i, ''
       FROM generate_series($1::int, $2::int) i`,
      [from, to],
    );
  /** Things of the latest users, one each. */
  const addThings = (n: number) =>
    service.sql(
      `INSERT INTO dummythings (name, "userId", "buddyId") SELECT 'a thing ' || id, id, id FROM users ORDER BY id DESC LIMIT $1`,
      [n],
    );

  /** The statements that the service runs for `work`, and how often each. */
  async function statements(work: () => Promise<unknown>): Promise<Map<string, number>> {
    await resetStatements(service);
    await work();
    const rows = await statementCounts(service);
    // The view shows a constant as itself or as a parameter, depending on when the statement was prepared.
    return new Map(
      rows.map(({ query, calls }) => [
        query.replace(/'[^']*'|\$\d+|\b\d+\b|\btrue\b|\bNULL(?= AS )/g, '?'),
        calls,
      ]),
    );
  }
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

  const PAGE =
    '/dummythings?itemsPerPage=10&includeRelated=user,buddy&includeMeta=true&includeLinks=true&includeOptions=true';

  it('a write takes a fixed number of statements, too', async () => {
    const made = await f.owner.call.post('/dummythings', { name: 'n' });
    const path = `/dummythings/${String(propsOf(made).id)}`;
    const write = (name: string) => async () =>
      expect((await f.owner.call.put(path, { name })).status).toBe(200);
    await write('warm')();
    const candidates = await statements(write('one'));
    // Session, read, BEGIN, lock, UPDATE, COMMIT.
    expect(sum(candidates)).toBeLessThanOrEqual(6);
    await addUsers(1, 2000);
    await addThings(2000);
    expect(await statements(write('two'))).toEqual(candidates);
  });

  it('related records have no related records of their own', async () => {
    const userId = f.owner.id;
    const thing = String(propsOf(await f.owner.call.post('/dummythings', { name: 'n', buddyId: userId })).id);
    const { result, ms } = await timed(() =>
      f.owner.call.get(
        `/dummythings/${thing}?includeRelated=user&includeRelated=buddy&includeRelated=user,buddy`,
      ),
    );
    expect(result.status).toBe(200);
    expect(ms).toBeLessThan(quick(1000));
    const related = result.body.related as Record<string, Record<string, unknown>>;
    expect(Object.keys(related).sort()).toEqual(['buddy', 'user']);
    for (const record of Object.values(related)) {
      expect(record).toMatchObject({ props: { id: userId } });
      expect(record).not.toHaveProperty('related');
    }
    const invoice = String(propsOf(await f.owner.call.post('/dummyinvoices', { title: 'i' })).id);
    const line = String(propsOf(await f.owner.call.post('/dummylineitems', { invoiceId: invoice })).id);
    const chain = await f.owner.call.get(`/dummylineitems/${line}?includeRelated=invoice`);
    expect(chain.body.related).toMatchObject({ invoice: { props: { title: 'i' } } });
    expect((chain.body.related as { invoice: object }).invoice).not.toHaveProperty('related');
    // Deeper names don't exist.
    for (const [path, name] of [
      [`/dummylineitems/${line}`, 'invoice.user'],
      [`/dummythings/${thing}`, 'user.avatar.user'],
      [`/dummythings/${thing}`, 'user/buddy'],
      [`/users/${userId}`, 'apikeys'],
      [`/dummyinvoices/${invoice}`, 'lineItems'],
    ] as const) {
      const answer = await f.owner.call.get(`${path}?includeRelated=${name}`);
      expect([name, answer.status, errorOf(answer).data]).toEqual([name, 422, 'includeRelated']);
    }
  });

  it('a page of the largest public texts has a bounded size, and 20 at once are answered', async () => {
    // Thing.note is the longest public text that a declaration can have short of medium text.
    await service.sql(
      `INSERT INTO dummythings (name, note) SELECT 'n', repeat('a', 65535) FROM generate_series(1, 100)`,
    );
    const size = async () => {
      const response = await fetch(`${service.url}/api/v1/dummythings?itemsPerPage=100`);
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
      return { status: response.status, bytes };
    };
    const one = await size();
    expect(one.status).toBe(200);
    expect(one.bytes).toBeGreaterThan(100 * 65535);
    expect(one.bytes).toBeLessThan(10 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(times(20, size));
    // On a slow machine some may be told to come again, but none is cut short.
    for (const answer of answers)
      expect([one, 503, 504]).toContainEqual(answer.status === 200 ? answer : answer.status);
    expect(answers).toContainEqual(one);
    expect(process.memoryUsage().rss - before).toBeLessThan(1200 * 1024 * 1024);
    expect((await f.anon.get('/users?itemsPerPage=1')).status).toBe(200);
  });

  it('no kind of the service has a public text that makes an anonymous page large', () => {
    for (const { kind, view, props } of [User, ApiKey].map(kindOf)) {
      if (!view.includes('public')) continue;
      const characters = props
        .filter((prop) => [...prop.view, ...prop.edit].includes('public') && !prop.writeOnly)
        .reduce((total, prop) => total + (prop.length ?? 32), 0);
      // 100 rows, six bytes for a character that JSON escapes; and the display name, of 256.
      expect([kind, 100 * 6 * (characters + 256) < 10 * 1024 * 1024]).toEqual([kind, true]);
    }
  });

  it('300 searches at once are answered, others meanwhile, and nothing stays open', async () => {
    await service.sql(
      `INSERT INTO dummythings (name, note) SELECT 'a' || i, 'banana ' || i FROM generate_series(1, 10000) i`,
    );
    const alone = (await timed(() => f.anon.get('/dummythings?search=a&itemsPerPage=100'))).ms;
    let busy = true;
    const others: { status: number; ms: number }[] = [];
    const meanwhile = (async () => {
      while (busy) {
        const { result, ms } = await timed(() => f.anon.get('/users?itemsPerPage=1'));
        others.push({ status: result.status, ms });
        await sleep(100);
      }
    })();
    const { result, ms } = await timed(() =>
      Promise.all(times(300, () => f.anon.get('/dummythings?search=a&itemsPerPage=100'))),
    );
    busy = false;
    await meanwhile;
    // 504 is the answer to a statement that took too long.
    expect(result.filter(({ status }) => ![200, 429, 503, 504].includes(status))).toEqual([]);
    expect(result.filter(({ status }) => status === 200).length).toBeGreaterThan(100);
    // 15 seconds; on a machine that is busy otherwise, as long as one after the other.
    expect(ms).toBeLessThan(Math.max(15_000, 300 * alone));
    expect(others.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
    expect(await idle()).toEqual([]);
    const after = await timed(() => f.anon.get('/dummythings?search=a9999&itemsPerPage=100'));
    expect(itemsOf(after.result)).toHaveLength(1);
    expect(after.ms).toBeLessThan(quick(1000));
  });

  const idle = () =>
    service.sql(
      `SELECT state, query FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'`,
    );

  it('80 writes at once on a pool of sixteen do not lock each other out', async () => {
    const made = await Promise.all([
      ...times(40, (i) =>
        f.owner.call.post('/dummyitems', { name: `i${i}`, category: 'Food', shelf: 'top' }),
      ),
      ...times(40, (i) => f.owner.call.post('/dummythings', { name: `t${i}`, buddyId: f.other.id })),
    ]);
    // Whoever waits too long for a connection may be told to come again; locked out, only sixteen would get through.
    const stored = made.filter(({ status }) => status === 201).length;
    expect(made.filter(({ status }) => ![201, 503].includes(status))).toEqual([]);
    expect(stored).toBeGreaterThan(40);
    expect(await service.sql('SELECT id FROM dummyitems UNION ALL SELECT id FROM dummythings')).toHaveLength(
      stored,
    );
    const things = itemsOf(await f.owner.call.get('/dummythings?itemsPerPage=100')).map(({ id }) =>
      String(id),
    );
    const mixed = await Promise.all(
      things.flatMap((id) => [
        f.owner.call.put(`/dummythings/${id}`, { name: 'm' }),
        f.owner.call.delete(`/dummythings/${id}`),
      ]),
    );
    expect(mixed.filter(({ status }) => ![200, 404, 503].includes(status))).toEqual([]);
    const deleted = mixed.filter(({ status }, i) => i % 2 === 1 && status === 200).length;
    expect(await service.sql('SELECT 1 FROM dummythings')).toHaveLength(things.length - deleted);
    expect(await idle()).toEqual([]);
  });

  it('a statement that takes too long is 504, and holds nobody up', async () => {
    const hurried = await startTestService({
      kinds: TEST_KINDS,
      databaseUrl: service.databaseUrl,
      env: { STATEMENT_TIMEOUT_MS: '300' },
    });
    try {
      const headers = { cookie: `appSessionId=${f.owner.sessionId}` };
      await service.sql('BEGIN');
      await service.sql('LOCK TABLE dummythings');
      const { result, ms } = await timed(() =>
        Promise.all([
          hurried.anon.get('/dummythings'),
          hurried.anon.post('/dummythings', { name: 'late' }, { headers }),
          hurried.anon.get('/users'),
        ]),
      );
      await service.sql('COMMIT');
      expect(result.map(({ status }) => status)).toEqual([504, 504, 200]);
      expect(ms).toBeLessThan(quick(3000));
      expect(result[1]).toMatchObject({ body: { error: { code: 504, data: null } } });
      expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
      expect((await hurried.anon.get('/dummythings')).status).toBe(200);
      expect(await idle()).toEqual([]);
    } finally {
      await hurried.stop();
    }
  });

  /** Of several tries the one with the fewest: on a busy machine a read that seems held up is asked for again. */
  async function fewest(work: () => Promise<unknown>): Promise<Map<string, number>> {
    const tries = [await statements(work), await statements(work), await statements(work)];
    return tries.reduce((best, one) => (sum(one) < sum(best) ? one : best));
  }

  // Last, as removing that many takes longer than the test.
  it('a list takes the same statements for 10 of 20 users and for 100 of 100,000', async () => {
    await addUsers(1, 20);
    await addThings(20);
    const read =
      (path: string, call: Caller = f.admin.call) =>
      async () => {
        const answer = await call.get(path);
        expect(answer.status).toBe(200);
      };
    await read(PAGE)(); // what happens once only (preparing, extending the session) is past
    const candidates = await fewest(read(PAGE));
    // Session, the sizes of a page whose texts may be large, the page, its total, two relations.
    expect(sum(candidates)).toBeLessThanOrEqual(6);
    // Both relations are to users: one statement each.
    expect(Math.max(...candidates.values())).toBeLessThanOrEqual(2);
    const hundred = PAGE.replace('itemsPerPage=10', 'itemsPerPage=100');

    await addUsers(21, 100_000);
    await addThings(5000);
    await service.sql('ANALYZE');
    const many = await fewest(read(PAGE));
    expect(many).toEqual(candidates);
    expect(sum(await fewest(read(hundred)))).toBe(sum(candidates));
    // Anonymous callers see no session, and buddies not at all.
    expect(sum(await fewest(read(PAGE, f.anon)))).toBeLessThan(sum(candidates));
    const users = await fewest(read('/users?itemsPerPage=10&includeMeta=true&includeLinks=true&page=3'));
    expect(sum(users)).toBe(3);
    expect(sum(await fewest(read(`/users/${f.owner.id}?includeMeta=true&includeLinks=true`)))).toBe(2);
    expect(
      sum(await fewest(read(`/users/${f.owner.id}/apikeys?includeRelated=user`, f.owner.call))),
    ).toBeLessThanOrEqual(5);

    const { result, ms } = await timed(() =>
      f.anon.get('/users?itemsPerPage=10&page=10000&includeMeta=true'),
    );
    expect(result.body.paging).toMatchObject({ totalItems: 100_003, page: 10_000, totalPages: 10_001 });
    expect(itemsOf(result)).toHaveLength(10);
    expect(ms).toBeLessThan(quick(2000));
    const big = await timed(() => f.admin.call.get(hundred));
    expect(itemsOf(big.result)).toHaveLength(100);
    expect(big.ms).toBeLessThan(1500);
  });
});
