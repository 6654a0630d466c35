import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/postgres/database.js';
import { Caller } from '../support/client.js';
import { PASSWORD, type Person } from '../support/fixture.js';
import { createRecord } from '../support/belongings.js';
import { propsOf } from '../support/answers.js';
import {
  DAY_MS,
  cookieOf,
  expectEnded,
  withInstance,
  logIn,
  keyLogin,
  passwordLogin,
  expectAlive,
} from './session-requests.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* How long a session lasts, and what ends it earlier. */

useKindsService();

const WEEK = 7 * 24 * 3600;

describe('the lifetime of a session', () => {
  const age = (person: Person, created: string, expires: string) =>
    service.sql(
      `UPDATE sessions SET "createdAt" = now() - $2::interval, "expiresAt" = now() + $3::interval WHERE "tokenHash" = $1`,
      [createHash('sha256').update(person.sessionId).digest('hex'), created, expires],
    );
  const left = async (person: Person) => {
    const { expiresAt } = propsOf(await person.call.get(`/sessions/${person.sessionId}`));
    return (Date.parse(String(expiresAt)) - Date.now()) / DAY_MS;
  };

  it('use moves the end and renews the cookie', async () => {
    await age(people.owner, '6 days', '1 day');
    const answer = await people.owner.call.get('/users');
    expect(cookieOf(answer)).toEqual({
      appSessionId: people.owner.sessionId,
      'max-age': String(WEEK),
      path: '/',
      httponly: '',
      samesite: 'Lax',
    });
    expect(await left(people.owner)).toBeCloseTo(7, 1);
  });

  it('use never moves it beyond the absolute end', async () => {
    await age(people.owner, '29 days 12 hours', '1 hour');
    const answer = await people.owner.call.get('/users/whoami');
    expect(answer.status).toBe(200);
    // A cookie that outlives its session would be harmless, but is not what the configuration says.
    expect(Math.abs(Number(cookieOf(answer)['max-age']) - 12 * 3600)).toBeLessThanOrEqual(1);
    expect(await left(people.owner)).toBeCloseTo(0.5, 1);
    await age(people.owner, '30 days', '0');
    expectEnded(await people.owner.call.get('/users/whoami'));
  });

  it('a session that is over stays over, whatever comes', async () => {
    await age(people.owner, '8 days', '-1 second');
    expectEnded(await people.owner.call.get('/users/whoami'));
    expectEnded(await people.owner.call.get('/users/whoami'));
    expectEnded(await people.owner.call.delete('/sessions'));
    const other = await people.other.call.get(`/sessions/${people.owner.sessionId}`);
    expect(other.status).toBe(404);
  });

  it('the configuration sets both ends', async () => {
    await withInstance(
      service,
      { SESSION_IDLE_SECONDS: '1', SESSION_ABSOLUTE_SECONDS: '3' },
      async ({ anon }) => {
        const [used, idle] = [
          await logIn(anon, keyLogin(people.owner)),
          await logIn(anon, keyLogin(people.owner)),
        ];
        const start = Date.now();
        expect(cookieOf(used.answer)['max-age']).toBe('1');
        let renewed = 0;
        let last = 0;
        for (;;) {
          await sleep(300);
          const answer = await used.call.get('/users/whoami');
          if (answer.status === 401) {
            expectEnded(answer);
            break;
          }
          last = Date.now() - start;
          expect(answer.status).toBe(200);
          for (const line of answer.headers.getSetCookie()) {
            expect(line).toContain(used.id);
            renewed++;
          }
          expect(last).toBeLessThan(3300);
        }
        expect(last).toBeGreaterThan(2000);
        expect(renewed).toBeGreaterThan(3);
        expectEnded(await idle.call.get('/users/whoami'));
      },
    );
  });
});

describe('what ends a session', () => {
  interface Sessions {
    readonly byKey: Caller;
    readonly byPassword: Caller;
    readonly second: Caller;
  }
  const three = async (): Promise<Sessions> => ({
    byKey: people.owner.call,
    byPassword: (await logIn(people.anon, passwordLogin('owner_u'))).call,
    second: (await logIn(people.anon, passwordLogin('owner_u'))).call,
  });
  /** Which of the sessions still live. */
  const living = async (sessions: Sessions) => {
    const answers = await Promise.all(
      Object.entries(sessions).map(async ([name, call]: [string, Caller]) => ({
        name,
        answer: await call.get('/users/whoami'),
      })),
    );
    for (const { answer } of answers.filter((one) => one.answer.status !== 200)) expectEnded(answer);
    return answers.filter(({ answer }) => answer.status === 200).map(({ name }) => name);
  };
  const NEW = 'another horse battery';

  it('deleting its API key ends it, and no other session', async () => {
    const sessions = await three();
    expect((await sessions.byPassword.delete(`/apikeys/${people.owner.key.id}`)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    await expectAlive(people.other);
  });

  const expire = (call: Caller, ms: number | null) =>
    call.put(`/apikeys/${people.owner.key.id}`, {
      expiresAt: ms === null ? null : new Date(Date.now() + ms).toISOString(),
    });

  it('an edit that makes its API key expire ends it', async () => {
    const sessions = await three();
    expect((await expire(sessions.second, DAY_MS)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byKey', 'byPassword', 'second']);
    expect((await expire(sessions.second, -1)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
  });

  it('the expiry of its API key ends it for good: it does not come back with the key', async () => {
    const sessions = await three();
    await expire(sessions.second, -1);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    expect((await expire(sessions.second, null)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    await logIn(people.anon, keyLogin(people.owner));
  });

  it('its API key ends it by expiring', async () => {
    const sessions = await three();
    expect((await expire(sessions.second, 400)).status).toBe(200);
    expect((await sessions.byKey.get('/users/whoami')).status).toBe(200);
    await sleep(500);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
  });

  it('a password change by the user ends all other sessions of that user', async () => {
    const sessions = await three();
    const answer = await sessions.second.put(`/users/${people.owner.id}`, {
      password: NEW,
      currentPassword: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/password|battery/);
    expect(await living(sessions)).toEqual(['second']);
    await expectAlive(people.other);
    await expectAlive(people.admin);
    expect((await people.anon.post('/sessions', passwordLogin('owner_u'))).status).toBe(401);
    await logIn(people.anon, passwordLogin('owner_u', NEW));
    // The key is no password: it goes on.
    await logIn(people.anon, keyLogin(people.owner));
  });

  it('a password change by an admin ends all sessions of that user, and none of the admin', async () => {
    const sessions = await three();
    expect((await people.admin.call.put(`/users/${people.owner.id}`, { password: NEW })).status).toBe(200);
    expect(await living(sessions)).toEqual([]);
    await expectAlive(people.admin);
    await expectAlive(people.other);
  });

  it('an admin’s change of the own password spares the session that made it', async () => {
    const second = await logIn(people.anon, passwordLogin('admin_u'));
    expect(
      (await people.admin.call.put(`/users/${people.admin.id}`, { password: NEW, currentPassword: PASSWORD }))
        .status,
    ).toBe(200);
    await expectAlive(people.admin);
    expectEnded(await second.call.get('/users/whoami'));
  });

  it('a refused password change ends nothing', async () => {
    const sessions = await three();
    expect((await sessions.second.put(`/users/${people.owner.id}`, { password: 'short' })).status).toBe(422);
    expect(
      (
        await sessions.second.put(`/users/${people.owner.id}`, {
          password: NEW,
          username: 'other_u',
          currentPassword: PASSWORD,
        })
      ).status,
    ).toBe(409);
    expect((await people.other.call.put(`/users/${people.owner.id}`, { password: NEW })).status).toBe(403);
    expect(await living(sessions)).toEqual(['byKey', 'byPassword', 'second']);
    await logIn(people.anon, passwordLogin('owner_u'));
  });

  it('the deletion of its user ends it', async () => {
    const sessions = await three();
    expect((await sessions.byPassword.delete(`/users/${people.owner.id}`)).status).toBe(200);
    expect(await living(sessions)).toEqual([]);
    await expectAlive(people.other);
  });

  it('it ends on every instance', async () => {
    await withInstance(service, {}, async (other) => {
      const there = new Caller(other.url, people.owner.sessionId);
      expect((await there.get('/users/whoami')).status).toBe(200);
      await people.owner.call.delete('/sessions');
      expectEnded(await there.get('/users/whoami'));
    });
  });
});

describe('a session made by a key', () => {
  it('ends with the key, also when its end was set before the login', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    expect((await people.admin.call.put(`/apikeys/${people.other.key.id}`, { expiresAt })).status).toBe(200);
    const { call, answer } = await logIn(people.anon, keyLogin(people.other));
    expect(propsOf(answer).expiresAt).toBe(expiresAt);
    expect((await call.get('/users/whoami')).status).toBe(200);
    // Use does not move it on.
    const rows = await service.sql<{ at: Date }>(
      `SELECT "expiresAt" AS at FROM sessions ORDER BY id DESC LIMIT 1`,
    );
    expect(rows[0]?.at.toISOString()).toBe(expiresAt);
    await sleep(Math.max(Date.parse(expiresAt) - Date.now() + 20, 0));
    expectEnded(await call.get('/users/whoami'));
  });
});

describe('what has waited for a connection is authorised again', () => {
  it('a create and an update are refused whose session has ended meanwhile, and those of other users go on', async () => {
    const database = service.app.get(Database);
    const [mine, theirs] = await Promise.all(
      [people.owner, people.other].map((person) =>
        createRecord(person.call, '/dummythings', { name: 'before' }),
      ),
    );
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const holders: Promise<unknown>[] = [];
    const waiting = async (count: number) => {
      while (database.load().pool.waiting < count) await sleep(5);
    };
    try {
      // Each about another table, so that together they may have all connections.
      while (!database.load().pool.waiting) {
        holders.push(database.transaction(() => held, `held ${holders.length}`));
        await sleep(1);
      }
      const before = database.load().pool.waiting;
      const answers = [people.owner, people.other].flatMap(({ call }, i) => [
        call.post('/dummythings', { name: 'after' }),
        call.put(`/dummythings/${[mine, theirs][i] ?? ''}`, { name: 'after' }),
      ]);
      await waiting(before + 2); // one shared insert, one shared update
      await service.sql('DELETE FROM sessions WHERE "tokenHash" = $1', [
        createHash('sha256').update(people.owner.sessionId).digest('hex'),
      ]);
      await sleep(1050); // until what the guard has found is no longer relied on
      release();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 201, 200]);
    } finally {
      release();
      await Promise.all(holders);
    }
    const rows = await service.sql('SELECT name, "userId" FROM dummythings ORDER BY "userId", name');
    expect(rows).toMatchObject([{ name: 'before' }, { name: 'after' }, { name: 'after' }]);
  });
});
