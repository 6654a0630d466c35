import { refusal, errorOf, itemsOf, propsOf } from './support/answers.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Removals } from '../src/record/write/removals.js';
import { atOnce, blocked } from './support/barrier.js';
import { TEST_KINDS } from './kinds/kinds.js';
import { type Answer, Caller } from './support/client.js';
import { addPerson, type Fixture, PASSWORD, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';
import { resetStatements, statementCounts } from './support/statements.js';

/*
 * Users, and other records, that very much hangs on: their deletion in batches, and how much one user may have.
 */

const MAX = 20;
/** Key of an advisory lock. */
const HELD = 4711;
const BATCH = 20;
const env = { MAX_RECORDS_PER_USER: String(MAX) };
let service: TestService;
let people: Fixture;
const limit = (one: TestService) =>
  Object.assign(one.app.get(Removals, { strict: false }).limits, { atOnce: 50, batch: BATCH });

beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds', env });
  limit(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
});

const count = async (from: string) =>
  (await service.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n;
const rowId = `(SELECT id FROM users WHERE username = 'owner_u')`;
/** Much below the owner: by itself, two steps down, beside others' own, and names that only vanish. */
async function much(): Promise<void> {
  await service.sql(
    `INSERT INTO dummythings (name, "userId") SELECT 't' || i, ${rowId} FROM generate_series(1, 120) i`,
  );
  await service.sql(
    `INSERT INTO dummythings (name, "userId", "buddyId") SELECT 'of other', id, ${rowId} FROM users, generate_series(1, 30) WHERE username = 'other_u'`,
  );
  await service.sql(
    `INSERT INTO dummyinvoices (title, "userId") SELECT 'i' || i, ${rowId} FROM generate_series(1, 3) i`,
  );
  await service.sql(
    `INSERT INTO dummylineitems (label, "invoiceId") SELECT 'l', i.id FROM dummyinvoices i, generate_series(1, 30)`,
  );
  await service.sql(
    `INSERT INTO sessions ("userId", type, "expiresAt", "tokenHash", "apiKeyId")
     SELECT k."userId", 'apiKey', now() + interval '1 day', 'h' || i, k.id
     FROM apikeys k, generate_series(1, 70) i WHERE k."userId" = ${rowId}`,
  );
}
async function until(done: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await done()); await sleep(20))
    if (Date.now() > end) throw new Error('It does not come to an end.');
}
const settled = () => until(async () => (await count('record_removals')) === 0);

describe('the deletion of a record with much below it', () => {
  it('is done at once where little is below it', async () => {
    await service.sql(
      `INSERT INTO dummythings (name, "userId") SELECT 't', ${rowId} FROM generate_series(1, 45)`,
    );
    expect((await people.owner.call.delete(`/users/${people.owner.id}`)).status).toBe(200);
    expect([await count('record_removals'), await count('dummythings'), await count('users')]).toEqual([
      0, 0, 2,
    ]);
  });

  it('closes the record at once, for everybody, and then removes what is below it in batches', async () => {
    await much();
    const other = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl, env });
    limit(other);
    await service.sql('CREATE TABLE gone_at_once (name text, n int)');
    await service.sql(`CREATE FUNCTION note_gone() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO gone_at_once SELECT TG_TABLE_NAME, count(*) FROM gone; RETURN NULL; END $$`);
    for (const table of ['dummythings', 'dummylineitems', 'sessions'])
      await service.sql(`CREATE TRIGGER note_gone AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION note_gone()`);
    const path = `/users/${people.owner.id}`;
    const password = { login: 'owner_u', password: PASSWORD };
    try {
      const { call, key } = people.owner;
      const [answer] = await atOnce(
        service,
        'dummyinvoices',
        [() => people.admin.call.delete(`${path}?includeMeta=true`)],
        {
          waiting: 1,
          meanwhile: async () => {
            const there = new Caller(other.url, people.owner.sessionId);
            const gone: [string, Answer, number[]][] = [
              ['its session', await call.get('/users/whoami'), [401, 401]],
              ['its session elsewhere', await there.get('/users/whoami'), [401, 401]],
              ['a login', await people.anon.post('/sessions', password), [401, 454]],
              ['a login elsewhere', await other.anon.post('/sessions', password), [401, 454]],
              [
                'a key',
                await people.anon.post('/sessions', { apiKey: key.id, privateKey: key.privateKey }),
                [401, 454],
              ],
              ['the record', await people.admin.call.get(path), [404, 404]],
              ['a change', await people.admin.call.put(path, { realName: 'x' }), [404, 404]],
              ['another deletion', await people.admin.call.delete(path), [404, 404]],
              ['what is below', await people.admin.call.get(`${path}/apikeys`), [404, 404]],
              ['the picture', await people.anon.get(`${path}/avatar-image`), [404, 404]],
              [
                'a new child',
                await people.admin.call.post('/apikeys', { name: 'x', userId: people.owner.id }),
                [422, 442],
              ],
            ];
            for (const [what, got, expected] of gone)
              expect([what, ...refusal(got).slice(0, 2)]).toEqual([what, ...expected]);
            const list = await people.admin.call.get('/users?itemsPerPage=100');
            expect(itemsOf(list).map(({ username }) => username)).toEqual(['other_u', 'admin_u']);
            expect(list.body.paging).toMatchObject({ totalItems: 2 });
            expect((await people.admin.call.get('/users?search=owner_u')).body.paging).toMatchObject({
              totalItems: 0,
            });
            const ofOther = await people.other.call.get(
              '/dummythings?itemsPerPage=1&includeRelated=buddy&search=of%20other',
            );
            expect(ofOther.text).not.toContain('owner_u');
            expect(await count('users')).toBe(3);
          },
        },
      );
      expect(answer).toMatchObject({
        status: 200,
        body: { props: { username: 'owner_u' }, meta: { deleted: true } },
      });
      await settled();
      expect(await count(`users WHERE username = 'owner_u'`)).toBe(0);
      expect(await count('dummythings')).toBe(30);
      expect(await count('dummythings WHERE "buddyId" IS NOT NULL')).toBe(0);
      expect([await count('dummylineitems'), await count('dummyinvoices')]).toEqual([0, 0]);
      expect(await count('apikeys')).toBe(2);
      const most = await service.sql<{ n: number }>('SELECT max(n) AS n FROM gone_at_once');
      expect(most).toEqual([{ n: BATCH }]);
      expect(service.log.filter((line) => line.includes('a closed record is deleted'))).toHaveLength(1);
      expect(service.log.filter((line) => line.includes('deleting a closed record')).length).toBeGreaterThan(
        10,
      );
      // The name is free again, and lists count by themselves as before.
      const body = { username: 'owner_u', email: people.owner.email, password: PASSWORD };
      expect((await people.anon.post('/users', body)).status).toBe(201);
      expect((await people.anon.get('/users')).body.paging).toMatchObject({ totalItems: 3 });
    } finally {
      await other.stop();
      await service.sql('DROP FUNCTION note_gone CASCADE');
      await service.sql('DROP TABLE gone_at_once');
    }
  });

  it('is taken up by another instance when the one that closed the record has died', async () => {
    await much();
    await service.sql(`INSERT INTO record_removals (path, id, removed) SELECT 'users', ${rowId}, 7`);
    await service.sql(
      `DELETE FROM dummythings WHERE id IN (SELECT id FROM dummythings WHERE "userId" = ${rowId} LIMIT 7)`,
    );
    const other = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl, env });
    try {
      limit(other);
      await settled();
      expect(await count('users')).toBe(2);
      expect(await count('dummythings')).toBe(30);
    } finally {
      await other.stop();
    }
  });

  it('goes on with others where one can’t go because something came to depend on it', async () => {
    await much();
    await service.sql(
      `INSERT INTO dummytopics (title, "thingId") SELECT 'kept', max(id) FROM dummythings WHERE "userId" = ${rowId}`,
    );
    // As if the topic had come on another instance, after the record was closed.
    await service.sql(
      `INSERT INTO record_removals (path, id, "startedAt") SELECT 'users', ${rowId}, now() - interval '1 hour'`,
    );
    const invoice = `SELECT 'dummyinvoices', min(id) FROM dummyinvoices WHERE "userId" <> ${rowId}`;
    await service.sql(
      `INSERT INTO dummyinvoices (title, "userId") SELECT 'of other', id FROM users WHERE username = 'other_u'`,
    );
    await service.sql(`INSERT INTO record_removals (path, id) ${invoice}`);
    service.app.get(Removals, { strict: false }).start();
    await until(async () => (await count(`record_removals WHERE path = 'dummyinvoices'`)) === 0);
    expect(await count(`dummyinvoices WHERE title = 'of other'`)).toBe(0);
    await until(() =>
      Promise.resolve(service.log.some((line) => line.includes('deleting a closed record failed'))),
    );
    expect(await count(`users WHERE username = 'owner_u'`)).toBe(1);
    await service.sql('DELETE FROM dummytopics');
    service.app.get(Removals, { strict: false }).start();
    await settled();
    expect(await count(`users WHERE username = 'owner_u'`)).toBe(0);
  });

  it('holds for every kind: an invoice with many items', async () => {
    await much();
    const [invoice] = itemsOf(await people.owner.call.get('/dummyinvoices'));
    await service.sql(
      `INSERT INTO dummylineitems (label, "invoiceId") SELECT 'l', min(id) FROM dummyinvoices, generate_series(1, 60)`,
    );
    expect((await people.owner.call.delete(`/dummyinvoices/${String(invoice?.id)}`)).status).toBe(200);
    expect((await people.owner.call.get(`/dummyinvoices/${String(invoice?.id)}`)).status).toBe(404);
    await settled();
    expect([await count('dummyinvoices'), await count('dummylineitems')]).toEqual([2, 60]);
    expect((await people.owner.call.get('/dummyinvoices')).body.paging).toMatchObject({ totalItems: 2 });
  });

  it('is refused, and closes nothing, where something below forbids it', async () => {
    await much();
    await service.sql(
      `INSERT INTO dummytopics (title, "thingId") SELECT 'kept', max(id) FROM dummythings WHERE "userId" = ${rowId}`,
    );
    const refused = await people.admin.call.delete(`/users/${people.owner.id}`);
    expect(refusal(refused).slice(0, 2)).toEqual([409, 409]);
    expect(await count('record_removals')).toBe(0);
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('never takes the last administrator', async () => {
    await much();
    await service.sql(`UPDATE users SET admin = true WHERE username = 'owner_u'`);
    await atOnce(service, 'dummyinvoices', [() => people.admin.call.delete(`/users/${people.owner.id}`)], {
      waiting: 1,
      meanwhile: async () => {
        expect(
          refusal(await people.admin.call.put(`/users/${people.admin.id}`, { admin: false })).slice(0, 2),
        ).toEqual([409, 409]);
      },
    });
    await settled();
  });
});

describe('how much one user may have', () => {
  const things = (call: Caller, n: number) =>
    Promise.all(Array.from({ length: n }, (_, i) => call.post('/dummythings', { name: `t${i}` })));
  const made = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201).length;

  it('is limited for each kind, also for creates at one moment', async () => {
    const answers = await things(people.owner.call, 2 * MAX);
    expect(made(answers)).toBe(MAX);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(errorOf(answer)).toEqual({
        code: 409,
        message: expect.stringContaining(String(MAX)),
        data: null,
      });
    }
    expect(await count('dummythings')).toBe(MAX);
    // Each kind, and each user, by itself.
    expect((await people.owner.call.post('/apikeys', { name: 'x' })).status).toBe(201);
    expect(made(await things(people.other.call, 3))).toBe(3);
    // Room again.
    const [first] = itemsOf(await people.owner.call.get('/dummythings?search=t0'));
    expect((await people.owner.call.delete(`/dummythings/${String(first?.id)}`)).status).toBe(200);
    expect(made(await things(people.owner.call, 2))).toBe(1);
    // Administrators make as many as they like.
    expect(made(await things(people.admin.call, MAX + 5))).toBe(MAX + 5);
  });

  it('counts what is still being stored, however long that takes', async () => {
    await service.sql(`CREATE FUNCTION hold_thing() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock(${HELD}); RETURN NEW; END $$`);
    await service.sql(`CREATE TRIGGER hold_thing BEFORE INSERT ON dummythings
      FOR EACH ROW WHEN (NEW.name = 'held') EXECUTE FUNCTION hold_thing()`);
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [HELD]);
      const held = people.owner.call.post('/dummythings', { name: 'held' });
      await blocked(service, 1);
      const others = things(people.owner.call, 2 * MAX);
      // Long enough for all of them, if nothing kept them waiting.
      await Promise.race([others, sleep(500)]);
      await holder.query('SELECT pg_advisory_unlock($1)', [HELD]);
      expect(made([await held, ...(await others)])).toBe(MAX);
      expect(await count('dummythings')).toBe(MAX);
    } finally {
      await holder.end();
      await service.sql('DROP FUNCTION hold_thing CASCADE');
    }
  });

  it('counts older records, and those that others make below the user’s parents', async () => {
    await service.sql(
      `INSERT INTO dummythings (name, "userId") SELECT 't', ${rowId} FROM generate_series(1, ${MAX - 1})`,
    );
    expect(made(await things(people.owner.call, 3))).toBe(1);
    const invoice = String(propsOf(await people.owner.call.post('/dummyinvoices', { title: 'long' })).id);
    const items = await Promise.all(
      Array.from({ length: MAX + 5 }, () =>
        people.owner.call.post('/dummylineitems', { invoiceId: invoice }),
      ),
    );
    expect(made(items)).toBe(MAX);
  });

  it('counts rarely while the limit is far', async () => {
    const person = await addPerson(service, 'roomy', 'roomy@mail.test', 'Roomy');
    await resetStatements(service);
    const wide = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl });
    try {
      expect(made(await things(new Caller(wide.url, person.sessionId), 60))).toBe(60);
      const counts = (await statementCounts(service)).filter(({ query }) =>
        /count.*SELECT FROM "dummythings"/.test(query),
      );
      expect(counts.map(({ calls }) => calls)).toEqual([1]);
    } finally {
      await wide.stop();
    }
  });
});
