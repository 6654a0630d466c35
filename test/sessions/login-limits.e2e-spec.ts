import { describe, expect, it } from '@jest/globals';
import { Passwords } from '../../src/auth/passwords.js';
import { Ids } from '../../src/record/ids/ids.js';
import { type Answer, Caller } from '../support/client.js';
import { PASSWORD } from '../support/fixture.js';
import { errorOf, propsOf } from '../support/answers.js';
import {
  withInstance,
  passwordLogin,
  expectNoCookie,
  keyLogin,
  cookieOf,
  expectEnded,
  expectAlive,
} from './session-requests.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* How often somebody may guess a password, and how many sessions a user has. */

useKindsService();

/** Runs `work` while each of so many networks waits for the hash of a password that no other one gets a place. */
async function overloaded(passwords: Passwords, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const networks = Array.from({ length: 104 }, async (_, i) => {
    while (!isOver) await passwords.hash('of somebody else', `10.8.8.${i}`);
  });
  await work().finally(() => (isOver = true));
  await Promise.all(networks);
}

describe('limits on guessing', () => {
  const wrong = () => ({ apiKey: people.owner.key.id, privateKey: `pk_${'x'.repeat(43)}` });

  it('100 wrong logins are slowed down, whatever headers or other fields rotate', async () => {
    await withInstance(service, { LOGIN_RATE_PER_ADDRESS: '', LOGIN_RATE_PER_NAME: '' }, async ({ anon }) => {
      const plain: number[] = [];
      for (let i = 0; i < 60; i++) plain.push((await anon.post('/sessions', wrong())).status);
      expect(plain.indexOf(429)).toBeGreaterThan(0);
      expect(plain.slice(plain.indexOf(429)).every((status) => status === 429)).toBe(true);
    });
    // A fresh instance, so that the second series starts from nothing.
    await withInstance(service, { LOGIN_RATE_PER_ADDRESS: '', LOGIN_RATE_PER_NAME: '' }, async ({ anon }) => {
      const rotating: number[] = [];
      for (let i = 0; i < 60; i++) {
        const address = `10.0.${i}.1`;
        const headers = {
          'x-forwarded-for': address,
          'x-real-ip': address,
          forwarded: `for=${address}`,
          'true-client-ip': address,
        };
        const body = {
          apiKey: service.app.get(Ids).encode('APIKey', String(1_000_000 + i)),
          privateKey: 'pk_x',
          email: `${i}@x.test`,
        };
        rotating.push((await anon.post('/sessions', body, { headers })).status);
      }
      // Each key is another one, so this is the limit per address.
      expect(rotating.indexOf(429)).toBe(30);
    });
  });

  const from = (address: string, device?: string) => ({
    headers: { 'x-forwarded-for': address, ...(device !== undefined && { cookie: `appDeviceId=${device}` }) },
  });
  const fail = async (anon: Caller, login: string, address: string, device?: string) =>
    (await anon.post('/sessions', passwordLogin(login, 'wrong wrong'), from(address, device))).status;

  it('counts failures per name and network, in every spelling, and no success', async () => {
    const env = { LOGIN_RATE_PER_NAME: '3', TRUST_PROXY: 'true' };
    await withInstance(service, env, async ({ anon }) => {
      const start = Date.now();
      for (let i = 0; i < 8; i++)
        expect((await anon.post('/sessions', passwordLogin('owner_u'), from('10.1.1.1'))).status).toBe(201);
      for (const login of ['owner_u', 'OWNER_U', '\uff4fwner_u'])
        expect(await fail(anon, login, '10.1.1.1')).toBe(401);
      const late = await anon.post('/sessions', passwordLogin('Owner_U'), from('10.1.1.1'));
      const wait = Number(late.headers.get('retry-after'));
      expect(late).toMatchObject({ status: 429, body: { error: { code: 429, data: wait } } });
      // Whoever waits as long as it says is let in: rounded up, never down.
      expect(wait * 1000).toBeGreaterThanOrEqual(60_000 - (Date.now() - start));
      expect(wait).toBeLessThanOrEqual(60);
      expectNoCookie(late);
      // Other names go on, and this one from elsewhere: who guesses keeps out nobody but itself.
      expect((await anon.post('/sessions', passwordLogin('other_u'), from('10.1.1.1'))).status).toBe(201);
      expect((await anon.post('/sessions', passwordLogin('owner_u'), from('10.1.1.2'))).status).toBe(201);
    });
  });

  it('counts failures of a key per network too', async () => {
    await withInstance(service, { LOGIN_RATE_PER_NAME: '3', TRUST_PROXY: 'true' }, async ({ anon }) => {
      for (const status of [401, 401, 401, 429])
        expect((await anon.post('/sessions', wrong(), from('10.1.1.1'))).status).toBe(status);
      expect((await anon.post('/sessions', keyLogin(people.owner), from('10.1.1.1'))).status).toBe(429);
      expect((await anon.post('/sessions', keyLogin(people.owner), from('10.1.1.2'))).status).toBe(201);
    });
  });

  it('counts failures per name over all networks, and lets a device in that is known', async () => {
    const env = { LOGIN_RATE_PER_NAME: '3', LOGIN_RATE_PER_NAME_IN_ALL: '5', TRUST_PROXY: 'true' };
    await withInstance(service, env, async ({ anon }) => {
      const enters = async (body: object, address: string, device?: string) => {
        const answer = await anon.post('/sessions', body, from(address, device));
        return { status: answer.status, device: answer.status === 201 ? deviceOf(answer) : '' };
      };
      const deviceOf = (answer: Answer) => cookieOf(answer, 'appDeviceId').appDeviceId ?? '';
      const mine = await enters(passwordLogin('owner_u'), '10.1.1.1');
      const others = await enters(passwordLogin('other_u'), '10.1.1.1');
      const byKey = await enters(keyLogin(people.owner), '10.1.1.1');
      for (let i = 0; i < 5; i++) expect(await fail(anon, 'owner_u', `10.9.9.${i}`)).toBe(401);
      const late = passwordLogin('owner_u');
      // Nobody new, whatever it says of itself.
      const forged = mine.device.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const older = mine.device.replace(/^\d+/, (issued) => String(Number(issued) - 1));
      for (const device of [undefined, others.device, byKey.device, forged, older, 'x', '..'])
        expect([device, (await enters(late, '10.1.1.3', device)).status]).toEqual([device, 429]);
      // The known device, from anywhere and by either name, but it may not guess without end either.
      expect((await enters(late, '10.1.1.4', mine.device)).status).toBe(201);
      expect((await enters(passwordLogin(people.owner.email), '10.9.9.0', mine.device)).status).toBe(201);
      for (const status of [401, 401, 401, 429])
        expect(await fail(anon, 'owner_u', '10.1.1.5', mine.device)).toBe(status);
      expect((await enters(keyLogin(people.owner), '10.1.1.6')).status).toBe(201);
      // The same for a key.
      for (let i = 0; i < 5; i++)
        expect((await anon.post('/sessions', wrong(), from(`10.9.9.${i}`))).status).toBe(401);
      expect((await enters(keyLogin(people.owner), '10.1.1.7')).status).toBe(429);
      expect((await enters(keyLogin(people.owner), '10.1.1.7', mine.device)).status).toBe(429);
      expect((await enters(keyLogin(people.owner), '10.1.1.7', byKey.device)).status).toBe(201);
    });
  });

  it('the devices of one account share a limit in one network', async () => {
    const env = { LOGIN_RATE_PER_NAME: '3', LOGIN_RATE_PER_NAME_IN_ALL: '5', TRUST_PROXY: 'true' };
    await withInstance(service, env, async ({ anon }) => {
      const newDevice = async (body: object) =>
        cookieOf(await anon.post('/sessions', body, from('10.1.1.1')), 'appDeviceId').appDeviceId ?? '';
      const [first, second, third] = [
        await newDevice(passwordLogin('owner_u')),
        await newDevice(passwordLogin('owner_u')),
        await newDevice(passwordLogin(people.owner.email)),
      ];
      const others = await newDevice(passwordLogin('other_u'));
      for (let i = 0; i < 5; i++) {
        expect(await fail(anon, 'owner_u', `10.9.9.${i}`)).toBe(401);
        expect(await fail(anon, 'other_u', `10.9.9.${i}`)).toBe(401);
      }
      expect(await fail(anon, 'owner_u', '10.1.1.5', first)).toBe(401);
      expect(await fail(anon, 'owner_u', '10.1.1.5', second)).toBe(401);
      expect(await fail(anon, 'OWNER_U', '10.1.1.5', second)).toBe(401);
      const enters = async (login: string, address: string, device?: string) =>
        (await anon.post('/sessions', passwordLogin(login), from(address, device))).status;
      for (const device of [first, second, third])
        expect(await enters('owner_u', '10.1.1.5', device)).toBe(429);
      // Elsewhere, and those of other accounts, are not kept out by it.
      expect(await enters('owner_u', '10.1.1.6', third)).toBe(201);
      expect(await enters('other_u', '10.1.1.5', others)).toBe(201);
    });
  });

  it('what overload keeps the service from looking at does not count', async () => {
    const env = { LOGIN_RATE_PER_NAME: '2', SIGNUP_RATE_PER_ADDRESS: '2', CREDENTIAL_RATE_PER_USER: '2' };
    await withInstance(service, env, async ({ anon, app, url }) => {
      const own = new Caller(url, people.other.sessionId);
      const user = (n: number) => ({ username: `b${n}`, email: `b${n}@mail.test`, password: PASSWORD });
      const change = (n: number) => ({ username: `changed${n}`, currentPassword: PASSWORD });
      const attempts = (n: number) => [
        anon.post('/sessions', passwordLogin('owner_u')),
        anon.post('/users', user(n)),
        own.put(`/users/${people.other.id}`, change(n)),
      ];
      await overloaded(app.get(Passwords), async () => {
        for (let n = 0; n < 3; n++)
          for (const answer of await Promise.all(attempts(n))) expect(answer.status).toBe(503);
      });
      const [login, signUp, update] = await Promise.all(attempts(3));
      expect([login?.status, signUp?.status, update?.status]).toEqual([201, 201, 200]);
    });
  });

  it('a device cookie is for a year, out of reach of scripts, and names nobody', async () => {
    const answer = await people.anon.post('/sessions', passwordLogin('owner_u'));
    const cookie = cookieOf(answer, 'appDeviceId');
    expect(cookie).toEqual({
      appDeviceId: expect.stringMatching(/^\d{10}\.[0-9A-Za-z]{43}\.[0-9a-f]{64}$/),
      'max-age': String(365 * 24 * 3600),
      path: '/',
      httponly: '',
      samesite: 'Lax',
    });
    expect(cookie.appDeviceId).not.toContain(people.owner.id.slice(1));
    // It is no login.
    const headers = { cookie: `appDeviceId=${cookie.appDeviceId ?? ''}` };
    expect((await people.anon.get('/users/whoami', { headers })).status).toBe(401);
  });

  it('counts failures per address, and no success', async () => {
    await withInstance(service, { LOGIN_RATE_PER_ADDRESS: '3', TRUST_PROXY: 'true' }, async ({ anon }) => {
      const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
      for (let i = 0; i < 8; i++) {
        expect((await anon.post('/sessions', keyLogin(people.other), from('10.2.2.1'))).status).toBeLessThan(
          300,
        );
      }
      for (let i = 0; i < 3; i++) {
        const body = passwordLogin(`nobody${i}`, 'wrong wrong');
        expect((await anon.post('/sessions', body, from('10.2.2.1'))).status).toBe(401);
      }
      const late = await anon.post('/sessions', keyLogin(people.owner), from('10.2.2.1'));
      expect(late.status).toBe(429);
      expectNoCookie(late);
      expect((await anon.post('/sessions', keyLogin(people.owner), from('10.2.2.2'))).status).toBeLessThan(
        300,
      );
    });
  });

  it('knows an address with another port, in brackets, mapped, or of the same IPv6 /64 again', async () => {
    await withInstance(
      service,
      { LOGIN_RATE_PER_ADDRESS: '3', TRUST_PROXY: 'true' },
      async ({ anon, log }) => {
        const tries = async (addresses: readonly string[]) => {
          const answers: number[] = [];
          for (const [i, address] of addresses.entries()) {
            const body = passwordLogin(`nobody${i}`, 'wrong wrong');
            answers.push(
              (await anon.post('/sessions', body, { headers: { 'x-forwarded-for': address } })).status,
            );
          }
          return answers;
        };
        const limited = [401, 401, 401, 429];
        expect(
          await tries(['192.0.2.11:50001', '192.0.2.11:50002', '192.0.2.11', '::ffff:192.0.2.11']),
        ).toEqual(limited);
        expect(
          await tries([
            '2001:db8:0:1::1',
            '[2001:db8:0:1::2]:50001',
            '[2001:db8:0:1:f::3]',
            '2001:db8:0:1:ffff::4',
          ]),
        ).toEqual(limited);
        expect(await tries(['2001:db8:0:2::1', '192.0.2.12'])).toEqual([401, 401]);
        expect(log.filter((line) => line.includes('"address":"192.0.2.11"')).length).toBeGreaterThan(5);
        expect(log.filter((line) => /50001|::ffff/.test(line))).toEqual([]);
      },
    );
  });

  it('counts wrong tries at the same moment too', async () => {
    await withInstance(service, { LOGIN_RATE_PER_NAME: '5' }, async ({ anon }) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => anon.post('/sessions', wrong())));
      const looked = answers.filter(({ status }) => status === 401);
      expect(looked).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    });
  });

  it('sign-up is limited per address; what an admin makes does not count', async () => {
    await withInstance(service, { SIGNUP_RATE_PER_ADDRESS: '3' }, async (other) => {
      const user = (n: string) => ({ username: `s${n}`, email: `s${n}@mail.test`, password: PASSWORD });
      const admin = new Caller(other.url, people.admin.sessionId);
      for (let i = 0; i < 5; i++)
        expect((await admin.post('/users', user(`a${i}`))).status).toBeLessThan(300);
      // Refused ones count: each answers a question about a name.
      const taken = { ...user('1'), email: 'owner.secret@mail.test' };
      expect((await other.anon.post('/users', taken)).status).toBe(409);
      for (const n of ['1', '2']) expect((await other.anon.post('/users', user(n))).status).toBeLessThan(300);
      const late = await other.anon.post('/users', user('3'), { headers: { 'x-forwarded-for': '9.9.9.9' } });
      expect(late).toMatchObject({ status: 429, body: { error: { code: 429, data: expect.any(Number) } } });
      expect(late.headers.get('retry-after')).toBe(String(errorOf(late).data));
      expect(await service.sql(`SELECT 1 FROM users WHERE username = 's3'`)).toEqual([]);
    });
  });
});

describe('MAX_SESSIONS_PER_USER', () => {
  it.each(['owner', 'admin'] as const)('ends the oldest sessions of %s at one login more', async (who) => {
    const MAX = 4;
    const person = people[who];
    await withInstance(service, { MAX_SESSIONS_PER_USER: String(MAX) }, async ({ url, anon }) => {
      const calls: Caller[] = [];
      for (let i = 0; i < MAX + 5; i++) {
        const answer = await anon.post(
          '/sessions',
          i % 2 ? keyLogin(person) : passwordLogin(person.username),
        );
        expect(answer.status).toBe(201);
        calls.push(new Caller(url, String(propsOf(answer).id)));
      }
      const statuses = [];
      for (const call of calls) statuses.push((await call.get('/users/whoami')).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 200, 200, 200, 200]);
      expectEnded(await new Caller(url, person.sessionId).get('/users/whoami'));
      const count = `SELECT 1 FROM sessions WHERE "userId" = (SELECT id FROM users WHERE username = $1)`;
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      // A login that fails ends nothing, nor do those of others.
      await anon.post('/sessions', passwordLogin(person.username, 'wrong wrong'));
      await anon.post('/sessions', keyLogin(people.other));
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      await expectAlive(people.other);
      // Those of one moment may be more by their number, and the next one puts it right.
      await Promise.all(Array.from({ length: 6 }, () => anon.post('/sessions', keyLogin(person))));
      expect((await service.sql(count, [person.username])).length).toBeLessThanOrEqual(MAX + 6);
      const last = await anon.post('/sessions', keyLogin(person));
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      expect((await new Caller(url, String(propsOf(last).id)).get('/users/whoami')).status).toBe(200);
    });
  });

  it('means no limit where it is 0', async () => {
    await withInstance(service, { MAX_SESSIONS_PER_USER: '0' }, async ({ anon }) => {
      await service.sql(
        `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt")
         SELECT id, 'password', 'hash ' || i, now() + interval '1 hour' FROM users, generate_series(1, 150) i
         WHERE username = 'owner_u'`,
      );
      expect((await anon.post('/sessions', keyLogin(people.owner))).status).toBe(201);
      await expectAlive(people.owner);
      expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(154);
    });
  });
});
