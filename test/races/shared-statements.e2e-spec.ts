import { countRows } from '../support/rows.js';
import { idOf, succeeded, errorOf, itemsOf, propsOf } from '../support/answers.js';
import { times } from '../support/times.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Answer, Caller } from '../support/client.js';
import { PASSWORD, type Person } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import { resetStatements, type StatementCount, statementCounts } from '../support/statements.js';
import { atOnce, oneAfterTheOther } from '../support/barrier.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* Unique values, and creates and updates that the service sends in one statement. */

// Requests are held up until all have come; on a busy machine that takes a while.
useKindsService({ STATEMENT_TIMEOUT_MS: '60000' });

/** Exactly one went through; every other is a 409 that names the prop and nothing else. */
function oneWon(answers: readonly Answer[], data: string): void {
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...times(1, () => expect.any(Number)),
    ...times(answers.length - 1, () => 409),
  ]);
  expect(succeeded(answers)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status === 409)) {
    expect(errorOf(answer)).toEqual({ code: 409, message: expect.any(String), data });
    expect(answer.text).not.toMatch(/uq_|ix_|Key \(|unique|users|dummyitems/);
  }
}

describe('unique values', () => {
  const sign = (username: string, i: number) => () =>
    people.admin.call.post('/users', { username, email: `r${i}@mail.test`, password: PASSWORD });

  // Ten inside their transactions; twenty, as in the case, in the test after it.
  it('one username is created once', async () => {
    const answers = await atOnce(
      service,
      'users',
      times(10, (i) => sign('race1', i)),
    );
    oneWon(answers, 'username');
    expect(await countRows(service, `users WHERE username = 'race1'`)).toBe(1);
  });

  it('one username is created once, also in another case and Unicode form', async () => {
    const spelled = ['\u00c4rger', '\u00e4rger', 'A\u0308RGER', 'a\u0308rger', '\u00c4\uff32ger'];
    const answers = await Promise.all(times(20, (i) => sign(spelled[i % 5] ?? '', i)()));
    oneWon(answers, 'username');
    expect(await countRows(service, `users WHERE "usernameFolded" = $1`, ['\u00e4rger'])).toBe(1);
  });

  it('one e-mail address is created once', async () => {
    const spelled = ['race@mail.test', 'RACE@mail.test', 'race@MAIL.test'];
    const calls = times(
      10,
      (i) => () =>
        people.anon.post('/users', {
          username: `race_${'abcdefghijkl'[i]}`,
          email: spelled[i % 3],
          password: PASSWORD,
        }),
    );
    oneWon(await atOnce(service, 'users', calls), 'email');
    expect(await countRows(service, `users WHERE lower(email) = 'race@mail.test'`)).toBe(1);
  });

  it('one value is taken by one of two updates', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `race2_${round}`;
      const rename = (person: Person) => () =>
        person.call.put(`/users/${person.id}`, { username: name, currentPassword: PASSWORD });
      const answers = await atOnce(service, 'users', [rename(people.owner), rename(people.other)]);
      oneWon(answers, 'username');
      expect(await countRows(service, 'users WHERE username = $1', [name])).toBe(1);
    }
  });

  it('two users who swap their names end with two names', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await atOnce(service, 'users', [
        () =>
          people.owner.call.put(`/users/${people.owner.id}`, {
            username: 'other_u',
            email: 'swap1@mail.test',
            currentPassword: PASSWORD,
          }),
        () =>
          people.other.call.put(`/users/${people.other.id}`, {
            username: 'owner_u',
            email: 'swap2@mail.test',
            currentPassword: PASSWORD,
          }),
      ]);
      // Each name is held by the other at that time.
      for (const answer of answers) expect([answer.status, errorOf(answer).data]).toEqual([409, 'username']);
      expect(
        await countRows(service, `users WHERE username IN ('owner_u', 'other_u') AND email NOT LIKE 'swap%'`),
      ).toBe(2);
    }
  });

  it('a name is unique within its group', async () => {
    const make = (name: string, category: string) =>
      people.admin.call.post('/dummyitems', { name, category });
    expect((await make('n', 'Food')).status).toBeLessThan(300);
    expect((await make('n', 'Armor')).status).toBeLessThan(300);
    const again = await make('n', 'Food');
    expect([again.status, errorOf(again).data]).toEqual([409, 'name']);
    oneWon(
      await atOnce(
        service,
        'dummyitems',
        times(10, () => () => make('p', 'Food')),
        // Creates of one turn of the event loop share a statement.
        { waiting: 1 },
      ),
      'name',
    );
    expect(await countRows(service, `dummyitems WHERE name = 'p'`)).toBe(1);
    const q = idOf(await make('q', 'Armor'));
    const renamed = await people.admin.call.put(`/dummyitems/${q}`, { name: 'n' });
    expect([renamed.status, errorOf(renamed).data]).toEqual([409, 'name']);
    // Moving it to the other group is a change of one part as well.
    const p = idOf(await make('p', 'Armor'));
    const moved = await people.admin.call.put(`/dummyitems/${p}`, { category: 'Food' });
    expect([moved.status, errorOf(moved).data]).toEqual([409, 'name']);
    expect(await countRows(service, `dummyitems WHERE name = 'q' AND category = 'Armor'`)).toBe(1);
    expect(await countRows(service, `dummyitems WHERE name = 'p' AND category = 'Armor'`)).toBe(1);
  });
});

/** How often statements of a sort have run since the last reset, and for how many rows. */
async function countsOf(
  isMeant: (count: StatementCount) => boolean,
): Promise<{ calls: number; rows: number }> {
  const meant = (await statementCounts(service)).filter(isMeant);
  const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
  return { calls: sum(meant.map(({ calls }) => calls)), rows: sum(meant.map(({ rows }) => rows)) };
}

describe('creates that share a statement', () => {
  const statements = () => countsOf(({ query }) => query.startsWith('INSERT INTO "dummyitems"'));

  it('each gets the record that it asked for, owned by whoever asked', async () => {
    await resetStatements(service);
    const pair = [people.owner, people.other];
    const answers = await Promise.all(
      times(60, (i) =>
        (pair[i % 2] ?? people.owner).call.post('/dummyitems', { name: `n${i}`, category: 'Food' }),
      ),
    );
    answers.forEach((answer, i) => {
      expect(answer.status).toBe(201);
      expect(propsOf(answer)).toMatchObject({ name: `n${i}`, userId: pair[i % 2]?.id });
    });
    expect(new Set(answers.map(idOf)).size).toBe(60);
    const seen = await statements();
    expect(seen?.rows).toBe(60);
    expect(seen?.calls).toBeLessThan(60);
  });

  it('those with different props keep their own columns', async () => {
    const bodies = times(48, (i) => ({
      name: `n${i}`,
      category: i % 2 ? 'Food' : 'Armor',
      ...(i % 3 === 1 && { shelf: 'top' }),
      ...(i % 4 === 2 && { code: `c${i}` }),
    }));
    const answers = await Promise.all(bodies.map((body) => people.owner.call.post('/dummyitems', body)));
    answers.forEach((answer, i) => {
      expect(answer.status).toBe(201);
      expect(propsOf(answer)).toMatchObject({ shelf: null, code: null, ...bodies[i] });
    });
    const stored = await service.sql('SELECT name, category, shelf, code FROM dummyitems');
    const wanted = bodies.map((body) => ({ shelf: null, code: null, ...body }));
    expect(stored).toHaveLength(48);
    expect(stored).toEqual(expect.arrayContaining(wanted));
  });

  it('one that waits too long takes no other with it', async () => {
    const quick = await startTestService({
      kinds: TEST_KINDS,
      databaseUrl: service.databaseUrl,
      env: { STATEMENT_TIMEOUT_MS: '1000' },
    });
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(
        `INSERT INTO dummyitems (name, category, "userId") SELECT 'held', 'Food', max(id) FROM users`,
      );
      const headers = { cookie: `appSessionId=${people.owner.sessionId}` };
      const names = times(16, (i) => (i === 7 ? 'held' : `n${i}`));
      const answers = await Promise.all(
        names.map((name) => quick.anon.post('/dummyitems', { name, category: 'Food' }, { headers })),
      );
      expect(answers.map(({ status }) => status)).toEqual(names.map((name) => (name === 'held' ? 504 : 201)));
    } finally {
      await holder.end();
      await quick.stop();
    }
  });

  it('one that is refused takes no other with it', async () => {
    const taken = [3, 11, 12, 29];
    for (const i of taken) await people.other.call.post('/dummyitems', { name: `n${i}`, category: 'Food' });
    const answers = await Promise.all(
      times(40, (i) => people.owner.call.post('/dummyitems', { name: `n${i}`, category: 'Food' })),
    );
    answers.forEach((answer, i) => {
      if (taken.includes(i)) expect([answer.status, errorOf(answer).data]).toEqual([409, 'name']);
      else expect([answer.status, propsOf(answer).name]).toEqual([201, `n${i}`]);
    });
    expect(await countRows(service, 'dummyitems')).toBe(40);
    const { body } = await people.owner.call.get('/dummyitems');
    expect(body).toMatchObject({ paging: { totalItems: 40 } });
  });
});

describe('updates that share a statement', () => {
  const statements = () => countsOf(({ query }) => query.includes('UPDATE "dummyitems"'));
  let ids: string[];

  beforeEach(async () => {
    ids = [];
    const pair = [people.owner, people.other];
    for (const i of times(40, (i) => i)) {
      const body = { name: `n${i}`, category: 'Food' };
      ids.push(idOf(await (pair[i % 2] ?? people.owner).call.post('/dummyitems', body)));
    }
  });
  const rename = (i: number, name: string, by: Person = i % 2 ? people.other : people.owner) =>
    by.call.put(`/dummyitems/${ids[i]}`, { name });

  it('each gets its own record as it has changed it', async () => {
    await resetStatements(service);
    const answers = await Promise.all(ids.map((_, i) => rename(i, `"m\\${i}", {é}`)));
    answers.forEach((answer, i) => {
      expect(answer.status).toBe(200);
      expect(propsOf(answer)).toMatchObject({ id: ids[i], name: `"m\\${i}", {é}`, category: 'Food' });
    });
    expect(await countRows(service, 'dummyitems WHERE name LIKE $1', ['"m%'])).toBe(40);
    const seen = await statements();
    expect(seen?.rows).toBe(40);
    expect(seen?.calls).toBeLessThan(40);
  });

  it('nobody changes what is not theirs among them', async () => {
    const answers = await Promise.all(ids.map((_, i) => rename(i, `m${i}`, people.owner)));
    answers.forEach((answer, i) => expect(answer.status).toBe(i % 2 ? 403 : 200));
    expect(await countRows(service, `dummyitems WHERE name LIKE 'm%'`)).toBe(20);
  });

  it('one that is refused takes no other with it', async () => {
    const taken = [3, 11, 12, 29];
    const answers = await Promise.all(ids.map((_, i) => rename(i, taken.includes(i) ? 'n0' : `m${i}`)));
    answers.forEach((answer, i) => {
      if (i === 0) return; // whether n0 is still taken depends on whether it has gone by then
      if (answer.status === 409) expect([taken.includes(i), errorOf(answer).data]).toEqual([true, 'name']);
      else
        expect([answer.status, taken.includes(i) || propsOf(answer).name === `m${i}`]).toEqual([200, true]);
    });
    expect(await countRows(service, `dummyitems WHERE name = 'n0'`)).toBeLessThan(2);
    expect(await countRows(service, `dummyitems WHERE name LIKE 'm%'`)).toBe(36);
  });

  // As another change does, and as a new record below this one does, whose foreign key leads here.
  it.each(['UPDATE', 'KEY SHARE'])('one whose record is locked for %s lets no other wait', async (lock) => {
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    let done = false;
    const calls: Promise<Answer>[] = [];
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM dummyitems WHERE name = 'n7' FOR ${lock}`);
      calls.push(...ids.map((_, i) => rename(i, `m${i}`)));
      void calls[7]?.then(() => (done = true));
      const others = await Promise.race([
        Promise.all(calls.filter((_, i) => i !== 7)),
        sleep(10_000).then(() => Promise.reject(new Error('The others wait.'))),
      ]);
      expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
      expect(done).toBe(false);
    } finally {
      await holder.end();
      await Promise.allSettled(calls);
    }
    const held = await calls[7];
    expect([held?.status, held && propsOf(held).name]).toEqual([200, 'm7']);
  });

  it('two of one record in one statement both count', async () => {
    const put = (body: object, headers = {}) =>
      people.owner.call.put(`/dummyitems/${ids[0]}`, body, { headers });
    for (const round of times(10, (i) => i)) {
      const bodies = [
        { name: `r${round}` },
        { name: `s${round}` },
        { category: 'Armor' },
        { category: 'Food' },
      ];
      const answers = await Promise.all(bodies.map((body) => put(body)));
      answers.forEach((answer, i) => {
        expect([answer.status, propsOf(answer)]).toEqual([200, expect.objectContaining(bodies[i] ?? {})]);
      });
      const last = [...answers].sort((a, b) =>
        String(propsOf(a).updatedAt) < String(propsOf(b).updatedAt) ? 1 : -1,
      )[0];
      expect(propsOf(await people.owner.call.get(`/dummyitems/${ids[0]}`))).toEqual(last && propsOf(last));
    }
    const headers = {
      'if-match': String((await people.owner.call.get(`/dummyitems/${ids[0]}`)).headers.get('etag')),
    };
    const matched = await Promise.all(times(6, (i) => put({ name: `t${i}` }, headers)));
    expect(matched.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });
});

describe('lists that are asked for at one moment', () => {
  it('one that fails leaves the others alone', async () => {
    await people.owner.call.post('/dummythings', { name: 'kept' });
    await people.owner.call.post('/dummyitems', { name: 'n', category: 'Food' });
    for (const statement of [
      `CREATE FUNCTION no_memory() RETURNS boolean LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'out of memory' USING ERRCODE = '53200'; END $$`,
      'ALTER TABLE dummyitems RENAME TO items_away',
      'CREATE VIEW dummyitems AS SELECT * FROM items_away WHERE no_memory()',
    ])
      await service.sql(statement);
    try {
      for (let round = 0; round < 10; round++) {
        const paths = [
          '/dummyitems',
          '/dummythings',
          '/dummythings?sortBy=name',
          '/dummyitems?sortBy=name',
          '/users',
          '/dummythings',
        ];
        const answers = await Promise.all(paths.map((path) => people.anon.get(path)));
        expect(answers.map(({ status }) => status)).toEqual([503, 200, 200, 503, 200, 200]);
        const names = (at: number) => itemsOf(answers[at] as Answer).map(({ name }) => name);
        expect([1, 2, 5].map(names)).toEqual(times(3, () => ['kept']));
        expect(itemsOf(answers[4] as Answer)).toHaveLength(3);
      }
    } finally {
      await service.sql('DROP VIEW dummyitems');
      await service.sql('ALTER TABLE items_away RENAME TO dummyitems');
      await service.sql('DROP FUNCTION no_memory');
    }
  });
});

describe('two instances', () => {
  let second: TestService;
  beforeAll(async () => {
    second = await startTestService({
      kinds: TEST_KINDS,
      databaseUrl: service.databaseUrl,
      env: { STATEMENT_TIMEOUT_MS: '60000' },
    });
  });
  afterAll(() => second.stop());

  // In one process two changes of one record never come into one statement; between two, the database alone decides.
  it('If-Match: exactly one of two updates wins', async () => {
    const id = idOf(await people.owner.call.post('/dummyitems', { name: 'n', category: 'Food' }));
    const path = `/dummyitems/${id}`;
    const there = new Caller(second.url, people.owner.sessionId);
    for (let round = 0; round < 10; round++) {
      const headers = { 'if-match': (await people.owner.call.get(path)).headers.get('etag') ?? '' };
      const put = (call: Caller, name: string) => () => call.put(path, { name }, { headers });
      const calls = [put(people.owner.call, `here${round}`), put(there, `there${round}`)];
      const answers = await meeting(calls);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const [won] = succeeded(answers);
      expect(propsOf(await there.get(path))).toEqual(won && propsOf(won));
    }
  });

  it('If-Match: the second update loses, also when the first was stored while it was on its way', async () => {
    const id = idOf(await people.owner.call.post('/dummyitems', { name: 'n', category: 'Food' }));
    const path = `/dummyitems/${id}`;
    const there = new Caller(second.url, people.owner.sessionId);
    const headers = { 'if-match': (await people.owner.call.get(path)).headers.get('etag') ?? '' };
    const answers = await oneAfterTheOther(service, 'dummyitems', [
      () => people.owner.call.put(path, { name: 'here' }, { headers }),
      () => there.put(path, { name: 'there' }, { headers }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 412]);
    expect(propsOf(await there.get(path)).name).toBe('here');
  });

  const meeting = (calls: (() => Promise<Answer>)[]) => atOnce(service, 'dummyitems', calls);
});
