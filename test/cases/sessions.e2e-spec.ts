import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { Database } from '../../src/postgres/database.js';
import { Ids } from '../../src/record/ids/ids.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Answer, Caller } from '../support/client.js';
import { addPerson, type Fixture, PASSWORD, type Person, resetFixture } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import { made } from './data-helpers.js';
import { errorOf, itemsOf, jsonOf, propsOf, request, warnedOf } from './wire.js';

/*
 * Families auth-login, session, csrf-cors-cookies; decisions.md §8.
 */

let service: TestService;
let f: Fixture;
beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  f = await resetFixture(service);
});

const WEEK = 7 * 24 * 3600;
const DAY_MS = 24 * 3600 * 1000;

const loginBy = ({ key }: Person) => ({ apiKey: key.id, privateKey: key.privateKey });
const passwordOf = (login: string, password = PASSWORD) => ({ login, password });

/** Another instance of the service with other settings, on the same database. */
async function instance<T>(
  env: Record<string, string>,
  work: (other: TestService) => Promise<T>,
): Promise<T> {
  const other = await startTestService({ kinds: TEST_KINDS, databaseUrl: service.databaseUrl, env });
  try {
    return await work(other);
  } finally {
    await other.stop();
  }
}

/** Logs in, and speaks with the new session. */
async function enter(anon: Caller, body: object): Promise<{ call: Caller; answer: Answer; id: string }> {
  const answer = await anon.post('/sessions', body);
  expect(answer.status).toBeLessThan(300);
  const id = String(propsOf(answer).id);
  return { answer, id, call: new Caller(anon.base, id) };
}

/** The one Set-Cookie of that name in an answer, attribute by attribute, names in lower case. */
function cookieOf(answer: Answer, cookie = 'appSessionId'): Record<string, string> {
  const lines = answer.headers.getSetCookie().filter((line) => line.startsWith(`${cookie}=`));
  expect(lines).toHaveLength(1);
  const pairs = (lines[0] ?? '').split('; ').map((part) => {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    return [name === cookie ? name : name.toLowerCase(), value];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

const noCookie = (answer: Answer) => expect(answer.headers.getSetCookie()).toEqual([]);

/** 401, and the browser is told to forget the cookie. */
function ended(answer: Answer): void {
  expect([answer.status, errorOf(answer)]).toEqual([
    401,
    { code: 401, message: expect.any(String), data: null },
  ]);
  const cookie = cookieOf(answer);
  expect(cookie).toMatchObject({ appSessionId: '', path: '/' });
  const past = cookie['max-age'] === '0' || Date.parse(cookie.expires ?? '') < Date.now();
  expect(past).toBe(true);
}

const alive = async ({ call, id }: Person) => {
  const answer = await call.get('/users/whoami');
  expect([answer.status, propsOf(answer).id]).toEqual([200, id]);
};

const comparable = ({ status, body, headers }: Answer) => {
  const changing = new Set(['date', 'content-length', 'x-request-id']);
  return { status, body, headers: [...headers].filter(([name]) => !changing.has(name)) };
};

describe('login', () => {
  it('AL-01: one answer for an unknown key, a wrong secret, an unknown name and a wrong password', async () => {
    const privateKey = `pk_${'0'.repeat(43)}`;
    const ids = service.app.get(Ids);
    const answers = [
      await f.anon.post('/sessions', { apiKey: ids.encode('APIKey', '999999'), privateKey }),
      await f.anon.post('/sessions', { apiKey: f.owner.key.id, privateKey }),
      await f.anon.post('/sessions', { apiKey: 'no id at all', privateKey }),
      await f.anon.post('/sessions', { apiKey: f.owner.id, privateKey: f.owner.key.privateKey }),
      await f.anon.post('/sessions', passwordOf('owner_u', 'wrong wrong')),
      await f.anon.post('/sessions', passwordOf('nobody_u', 'wrong wrong')),
      await f.anon.post('/sessions', passwordOf('nobody@mail.test')),
      await f.anon.post('/sessions', passwordOf('owner_u', 'x')),
    ];
    expect(answers[0]).toMatchObject({ status: 401, body: { error: { code: 454, data: null } } });
    for (const answer of answers) {
      noCookie(answer);
      expect(comparable(answer)).toEqual(comparable(answers[0] as Answer));
    }
  });

  it('AL-01: an unknown name takes as long as a wrong password', async () => {
    // Not the fixture's cheap hashes: a password that the service itself has hashed.
    const user = { username: 'timed', email: 'timed@mail.test', password: PASSWORD };
    expect((await f.anon.post('/users', user)).status).toBeLessThan(300);
    const time = async (login: string) => {
      const start = performance.now();
      expect((await f.anon.post('/sessions', passwordOf(login, 'wrong wrong'))).status).toBe(401);
      return performance.now() - start;
    };
    const median = (times: number[]) => times.sort((a, b) => a - b)[4] ?? 0;
    for (let i = 0; i < 9; i++) await time('timed');
    const times = { known: [] as number[], unknown: [] as number[] };
    // In turn, as a machine that is busy for a moment is busy for both.
    for (let i = 0; i < 9; i++) {
      times.known.push(await time('timed'));
      times.unknown.push(await time('nobody_u'));
    }
    const [known, unknown] = [median(times.known), median(times.unknown)];
    // Without a hash to compare with, an answer takes a tenth.
    expect(unknown / known).toBeGreaterThan(0.4);
    expect(unknown / known).toBeLessThan(2.5);
  });

  it('AL-03: the secret must match exactly', async () => {
    const { id, privateKey } = f.owner.key;
    const wrong: unknown[] = [
      privateKey.toUpperCase(),
      `${privateKey} `,
      ` ${privateKey}`,
      `${privateKey}\n`,
      privateKey.slice(0, -1),
      `${privateKey}0`,
      `${privateKey}\0`,
      `${privateKey}\0rest`,
      [privateKey],
      { $ne: null },
      Number.MAX_SAFE_INTEGER,
      true,
      privateKey.replace('o', '\u043e'),
      privateKey.normalize('NFKC').replace('k', '\u212a'),
      `${privateKey}${'0'.repeat(5000)}`,
    ];
    for (const secret of wrong) {
      const answer = await f.anon.post('/sessions', { apiKey: id, privateKey: secret });
      expect([secret, answer.status < 500, answer.status >= 400]).toEqual([secret, true, true]);
      noCookie(answer);
      expect(answer.text).not.toContain(privateKey);
    }
    await enter(f.anon, loginBy(f.owner));
  });

  it('AL-03: a password must match exactly, beyond NUL and 72 bytes too', async () => {
    const password = `${'p'.repeat(80)}\u00e9!`;
    const user = { username: 'long_pw', email: 'long@mail.test', password };
    expect((await f.anon.post('/users', user)).status).toBeLessThan(300);
    const wrong = [
      password.slice(0, 72),
      `${'p'.repeat(80)}\u00e9?`,
      password.toUpperCase(),
      ` ${password}`,
      `${password}\0`,
    ];
    for (const guess of wrong) {
      const answer = await f.anon.post('/sessions', passwordOf('long_pw', guess));
      expect([guess, [400, 401].includes(answer.status)]).toEqual([guess, true]);
      noCookie(answer);
    }
    await enter(f.anon, passwordOf('long_pw', password));
  });

  it('a password is the same in every Unicode form, also one that was stored before they were', async () => {
    const [composed, decomposed] = ['p\u00e4ssw\u00f6rter \u212b', 'pa\u0308sswo\u0308rter A\u030a'];
    const wide = '\uff50\u00e4ssw\u00f6rter \u00c5';
    for (const [i, password] of [composed, decomposed, wide].entries()) {
      const user = { username: `form${i}`, email: `form${i}@mail.test`, password };
      expect((await f.anon.post('/users', user)).status).toBe(201);
      for (const typed of [composed, decomposed, wide]) await enter(f.anon, passwordOf(`form${i}`, typed));
      const other = await f.anon.post('/sessions', passwordOf(`form${i}`, composed.replace('\u00e4', 'a')));
      expect(other.status).toBe(401);
    }
    const legacy = await hash(decomposed, { memoryCost: 8, timeCost: 1 });
    await service.sql(`UPDATE users SET "passwordHash" = $1 WHERE username = 'form0'`, [legacy]);
    await enter(f.anon, passwordOf('form0', decomposed));
  });

  it('AL-08: a deleted key or user cannot log in', async () => {
    const made = await f.owner.call.post('/apikeys', { name: 'K2' });
    const k2 = {
      apiKey: propsOf(made).id,
      privateKey: (made.body.meta as { privateKey: string }).privateKey,
    };
    await enter(f.anon, k2);
    expect((await f.owner.call.delete(`/apikeys/${f.owner.key.id}`)).status).toBe(200);
    const gone = await f.anon.post('/sessions', loginBy(f.owner));
    expect((await f.admin.call.delete(`/users/${f.owner.id}`)).status).toBe(200);
    const orphan = await f.anon.post('/sessions', k2);
    const named = await f.anon.post('/sessions', passwordOf('owner_u'));
    for (const answer of [gone, orphan, named]) {
      expect([answer.status, errorOf(answer).code]).toEqual([401, 454]);
      noCookie(answer);
    }
    expect(
      await service.sql('SELECT 1 FROM sessions s JOIN users u ON u.id = s."userId" WHERE u.username = $1', [
        'owner_u',
      ]),
    ).toEqual([]);
  });

  it('an expired key cannot log in, one that expires later can', async () => {
    const at = async (ms: number) => {
      const expiresAt = new Date(Date.now() + ms).toISOString();
      // A session of its own: the key's end would end the session that came from it.
      expect((await f.admin.call.put(`/apikeys/${f.owner.key.id}`, { expiresAt })).status).toBe(200);
      return f.anon.post('/sessions', loginBy(f.owner));
    };
    expect((await at(DAY_MS)).status).toBeLessThan(300);
    const late = await at(-1000);
    expect([late.status, errorOf(late).code]).toEqual([401, 454]);
    noCookie(late);
  });

  it('AL-09: the answer carries no secrets', async () => {
    const answer = await f.anon.post(
      '/sessions?includeMeta=true&includeLinks=true&includeRelated=user',
      loginBy(f.owner),
    );
    expect(answer.status).toBeLessThan(300);
    expect(Object.keys(propsOf(answer)).sort()).toEqual([
      'createdAt',
      'expiresAt',
      'id',
      'type',
      'updatedAt',
      'userId',
    ]);
    expect(propsOf(answer)).toMatchObject({ type: 'apiKey', userId: f.owner.id });
    expect(answer.text).not.toMatch(/privateKey|[Hh]ash|argon|passwordHash/);
    expect(answer.text).not.toContain(f.owner.key.privateKey);
    const seen = answer.body.related as { user: { props: object } };
    // What the owner may view of itself, and nothing else.
    expect(seen.user.props).toEqual(propsOf(await f.owner.call.get('/users/whoami')));
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(cookieOf(answer).appSessionId).toBe(propsOf(answer).id);
  });

  it('takes username or e-mail in any spelling that is the same name, and ignores sessionType', async () => {
    for (const login of [
      'owner_u',
      'OWNER_U',
      'owner.secret@mail.test',
      'Owner.Secret@MAIL.test',
      '\uff4fwner_u',
    ]) {
      const { answer, call } = await enter(f.anon, { ...passwordOf(login), sessionType: 'whatever' });
      expect(propsOf(answer)).toMatchObject({ type: 'password', userId: f.owner.id });
      expect(warnedOf(answer)).toEqual([]);
      expect(propsOf(await call.get('/users/whoami'))).toMatchObject({ username: 'owner_u' });
    }
  });

  it.each<[object, string, number]>([
    [{}, 'apiKey', 441],
    [{ apiKey: 'v1' }, 'privateKey', 441],
    [{ privateKey: 'pk_' }, 'apiKey', 441],
    [{ apiKey: '', privateKey: 'x' }, 'apiKey', 441],
    [{ apiKey: null, privateKey: 'x' }, 'apiKey', 441],
    [{ login: 'owner_u' }, 'password', 441],
    [{ password: 'x' }, 'login', 441],
    [{ login: ['owner_u'], password: PASSWORD }, 'login', 442],
    [{ login: 'owner_u', password: { a: 1 } }, 'password', 442],
    [{ apiKey: 5, privateKey: 'x' }, 'apiKey', 442],
  ])('%j is refused and names %s', async (body, data, code) => {
    const answer = await f.anon.post('/sessions', body);
    expect(answer).toMatchObject({ status: 422, body: { error: { code, data } } });
    noCookie(answer);
  });

  it('warns about unknown props and ignores them', async () => {
    const { answer } = await enter(f.anon, { ...loginBy(f.owner), userId: f.admin.id, admin: true });
    expect(warnedOf(answer).sort()).toEqual(['admin', 'userId']);
    expect(propsOf(answer).userId).toBe(f.owner.id);
  });

  it('has at most fifty warnings, of bounded length, whatever is sent', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`${i}${'x'.repeat(i < 3 ? 100_000 : 20)}`, i]),
    );
    const { answer } = await enter(f.anon, { ...unknown, ...loginBy(f.owner) });
    expect(answer.status).toBe(201);
    expect(warnedOf(answer)).toHaveLength(50);
    expect(answer.text.length).toBeLessThan(50_000);
    const created = await f.owner.call.post('/dummythings', { name: 'n', ...unknown });
    expect([created.status, warnedOf(created).length]).toEqual([201, 50]);
    const listed = await f.owner.call.get(
      `/dummythings?${Array.from({ length: 90 }, (_, i) => `p${i}=1`).join('&')}`,
    );
    expect([listed.status, warnedOf(listed).length]).toEqual([200, 50]);
    for (const { text } of [created, listed]) expect(text.length).toBeLessThan(50_000);
  });

  it('moves lastUsedAt of the key and nothing else', async () => {
    const before = propsOf(await f.owner.call.get(`/apikeys/${f.owner.key.id}`));
    expect(before.lastUsedAt).toBe(null);
    await enter(f.anon, loginBy(f.owner));
    const first = propsOf(await f.owner.call.get(`/apikeys/${f.owner.key.id}`));
    await enter(f.anon, loginBy(f.owner));
    const after = propsOf(await f.owner.call.get(`/apikeys/${f.owner.key.id}`));
    expect(Date.parse(String(first.lastUsedAt))).toBeGreaterThan(Date.now() - 60_000);
    expect(String(after.lastUsedAt) > String(first.lastUsedAt)).toBe(true);
    expect(after).toEqual({ ...before, lastUsedAt: after.lastUsedAt });
  });
});

describe('limits on guessing', () => {
  const wrong = () => ({ apiKey: f.owner.key.id, privateKey: `pk_${'x'.repeat(43)}` });

  it('AL-04: 100 wrong logins are slowed down, whatever headers or other fields rotate', async () => {
    await instance({ LOGIN_RATE_PER_ADDRESS: '', LOGIN_RATE_PER_NAME: '' }, async ({ anon }) => {
      const plain: number[] = [];
      for (let i = 0; i < 60; i++) plain.push((await anon.post('/sessions', wrong())).status);
      expect(plain.indexOf(429)).toBeGreaterThan(0);
      expect(plain.slice(plain.indexOf(429)).every((status) => status === 429)).toBe(true);
    });
    // A fresh instance, so that the second series starts from nothing.
    await instance({ LOGIN_RATE_PER_ADDRESS: '', LOGIN_RATE_PER_NAME: '' }, async ({ anon }) => {
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
    (await anon.post('/sessions', passwordOf(login, 'wrong wrong'), from(address, device))).status;

  it('counts failures per name and network, in every spelling; success does not count', async () => {
    const env = { LOGIN_RATE_PER_NAME: '3', TRUST_PROXY: 'true' };
    await instance(env, async ({ anon }) => {
      const start = Date.now();
      for (let i = 0; i < 8; i++)
        expect((await anon.post('/sessions', passwordOf('owner_u'), from('10.1.1.1'))).status).toBe(201);
      for (const login of ['owner_u', 'OWNER_U', '\uff4fwner_u'])
        expect(await fail(anon, login, '10.1.1.1')).toBe(401);
      const late = await anon.post('/sessions', passwordOf('Owner_U'), from('10.1.1.1'));
      const wait = Number(late.headers.get('retry-after'));
      expect(late).toMatchObject({ status: 429, body: { error: { code: 429, data: wait } } });
      // Whoever waits as long as it says is let in: rounded up, never down.
      expect(wait * 1000).toBeGreaterThanOrEqual(60_000 - (Date.now() - start));
      expect(wait).toBeLessThanOrEqual(60);
      noCookie(late);
      // Other names go on, and this one from elsewhere: who guesses keeps out nobody but itself.
      expect((await anon.post('/sessions', passwordOf('other_u'), from('10.1.1.1'))).status).toBe(201);
      expect((await anon.post('/sessions', passwordOf('owner_u'), from('10.1.1.2'))).status).toBe(201);
    });
  });

  it('counts failures of a key per network too', async () => {
    await instance({ LOGIN_RATE_PER_NAME: '3', TRUST_PROXY: 'true' }, async ({ anon }) => {
      for (const status of [401, 401, 401, 429])
        expect((await anon.post('/sessions', wrong(), from('10.1.1.1'))).status).toBe(status);
      expect((await anon.post('/sessions', loginBy(f.owner), from('10.1.1.1'))).status).toBe(429);
      expect((await anon.post('/sessions', loginBy(f.owner), from('10.1.1.2'))).status).toBe(201);
    });
  });

  it('counts failures per name over all networks, and lets a device in that is known', async () => {
    const env = { LOGIN_RATE_PER_NAME: '3', LOGIN_RATE_PER_NAME_IN_ALL: '5', TRUST_PROXY: 'true' };
    await instance(env, async ({ anon }) => {
      const enters = async (body: object, address: string, device?: string) => {
        const answer = await anon.post('/sessions', body, from(address, device));
        return { status: answer.status, device: answer.status === 201 ? deviceOf(answer) : '' };
      };
      const deviceOf = (answer: Answer) => cookieOf(answer, 'appDeviceId').appDeviceId ?? '';
      const mine = await enters(passwordOf('owner_u'), '10.1.1.1');
      const others = await enters(passwordOf('other_u'), '10.1.1.1');
      const byKey = await enters(loginBy(f.owner), '10.1.1.1');
      for (let i = 0; i < 5; i++) expect(await fail(anon, 'owner_u', `10.9.9.${i}`)).toBe(401);
      const late = passwordOf('owner_u');
      // Nobody new, whatever it says of itself.
      const forged = mine.device.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const older = mine.device.replace(/^\d+/, (issued) => String(Number(issued) - 1));
      for (const device of [undefined, others.device, byKey.device, forged, older, 'x', '..'])
        expect([device, (await enters(late, '10.1.1.3', device)).status]).toEqual([device, 429]);
      // The known device, from anywhere and by either name, but it may not guess without end either.
      expect((await enters(late, '10.1.1.4', mine.device)).status).toBe(201);
      expect((await enters(passwordOf(f.owner.email), '10.9.9.0', mine.device)).status).toBe(201);
      for (const status of [401, 401, 401, 429])
        expect(await fail(anon, 'owner_u', '10.1.1.5', mine.device)).toBe(status);
      expect((await enters(loginBy(f.owner), '10.1.1.6')).status).toBe(201);
      // The same for a key.
      for (let i = 0; i < 5; i++)
        expect((await anon.post('/sessions', wrong(), from(`10.9.9.${i}`))).status).toBe(401);
      expect((await enters(loginBy(f.owner), '10.1.1.7')).status).toBe(429);
      expect((await enters(loginBy(f.owner), '10.1.1.7', mine.device)).status).toBe(429);
      expect((await enters(loginBy(f.owner), '10.1.1.7', byKey.device)).status).toBe(201);
    });
  });

  it('a device cookie is for a year, out of reach of scripts, and names nobody', async () => {
    const answer = await f.anon.post('/sessions', passwordOf('owner_u'));
    const cookie = cookieOf(answer, 'appDeviceId');
    expect(cookie).toEqual({
      appDeviceId: expect.stringMatching(/^\d{10}\.[0-9A-Za-z]{43}\.[0-9a-f]{64}$/),
      'max-age': String(365 * 24 * 3600),
      path: '/',
      httponly: '',
      samesite: 'Lax',
    });
    expect(cookie.appDeviceId).not.toContain(f.owner.id.slice(1));
    // It is no login.
    const headers = { cookie: `appDeviceId=${cookie.appDeviceId ?? ''}` };
    expect((await f.anon.get('/users/whoami', { headers })).status).toBe(401);
  });

  it('counts failures per address; success does not count', async () => {
    await instance({ LOGIN_RATE_PER_ADDRESS: '3', TRUST_PROXY: 'true' }, async ({ anon }) => {
      const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
      for (let i = 0; i < 8; i++) {
        expect((await anon.post('/sessions', loginBy(f.other), from('10.2.2.1'))).status).toBeLessThan(300);
      }
      for (let i = 0; i < 3; i++) {
        const body = passwordOf(`nobody${i}`, 'wrong wrong');
        expect((await anon.post('/sessions', body, from('10.2.2.1'))).status).toBe(401);
      }
      const late = await anon.post('/sessions', loginBy(f.owner), from('10.2.2.1'));
      expect(late.status).toBe(429);
      noCookie(late);
      expect((await anon.post('/sessions', loginBy(f.owner), from('10.2.2.2'))).status).toBeLessThan(300);
    });
  });

  it('knows an address with another port, in brackets, mapped, or of the same IPv6 /64 again', async () => {
    await instance({ LOGIN_RATE_PER_ADDRESS: '3', TRUST_PROXY: 'true' }, async ({ anon, log }) => {
      const tries = async (addresses: readonly string[]) => {
        const answers: number[] = [];
        for (const [i, address] of addresses.entries()) {
          const body = passwordOf(`nobody${i}`, 'wrong wrong');
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
    });
  });

  it('counts wrong tries at the same moment too', async () => {
    await instance({ LOGIN_RATE_PER_NAME: '5' }, async ({ anon }) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => anon.post('/sessions', wrong())));
      const looked = answers.filter(({ status }) => status === 401);
      expect(looked).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    });
  });

  it('IU-06: sign-up is limited per address; what an admin makes does not count', async () => {
    await instance({ SIGNUP_RATE_PER_ADDRESS: '3' }, async (other) => {
      const user = (n: string) => ({ username: `s${n}`, email: `s${n}@mail.test`, password: PASSWORD });
      const admin = new Caller(other.url, f.admin.sessionId);
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

describe('the session', () => {
  it('SE-01: an id that the client chose is not adopted', async () => {
    const planted = '11111111-1111-4111-8111-111111111111';
    for (const chosen of [planted, `v${'1'.repeat(43)}`]) {
      const victim = new Caller(service.url, chosen);
      const answer = await victim.post('/sessions', loginBy(f.owner));
      expect(answer.status).toBeLessThan(300);
      expect(cookieOf(answer).appSessionId).not.toBe(chosen);
      expect(answer.text).not.toContain(chosen);
      ended(await victim.get('/users/whoami'));
    }
  });

  it.each([
    ['a key', () => loginBy(f.owner)],
    ['a password', () => passwordOf('owner_u')],
  ])('a login by %s ends the session that came along, one that fails does not', async (_by, body) => {
    const failed = await f.other.call.post('/sessions', { ...passwordOf('owner_u', 'wrong wrong') });
    expect(failed.status).toBe(401);
    await alive(f.other);
    const { call } = await enter(f.other.call, body());
    ended(await f.other.call.get('/users/whoami'));
    await alive(f.owner);
    // Again, as the same user.
    const again = await enter(call, body());
    ended(await call.get('/users/whoami'));
    expect((await again.call.get('/users/whoami')).status).toBe(200);
  });

  it('SE-03: logout ends it on the server', async () => {
    const answer = await f.owner.call.delete(`/sessions/${f.owner.sessionId}?includeMeta=true`);
    expect(answer).toMatchObject({
      status: 200,
      body: { props: { id: f.owner.sessionId }, meta: { deleted: true } },
    });
    expect(cookieOf(answer)).toMatchObject({ appSessionId: '', path: '/' });
    ended(await f.owner.call.get('/users/whoami'));
    ended(await f.owner.call.put(`/users/${f.owner.id}`, { realName: 'x' }));
    ended(await f.owner.call.delete('/sessions'));
    expect(propsOf(await f.admin.call.get(`/users/${f.owner.id}`)).realName).toBe('Olive Owner');
    expect(
      await service.sql('SELECT 1 FROM sessions s JOIN users u ON u.id = s."userId" WHERE u.username = $1', [
        'owner_u',
      ]),
    ).toEqual([]);
    await alive(f.other);
  });

  it('DELETE /sessions ends that of the cookie, and only that', async () => {
    const second = await enter(f.anon, passwordOf('owner_u'));
    const answer = await second.call.delete('/sessions');
    expect(answer).toMatchObject({ status: 200, body: { props: { id: second.id, type: 'password' } } });
    expect(answer.body).not.toHaveProperty('meta');
    expect(cookieOf(answer).appSessionId).toBe('');
    ended(await second.call.get('/users/whoami'));
    await alive(f.owner);
    expect((await f.anon.delete('/sessions')).status).toBe(401);
  });

  it('ends another session of the same user by its id, without touching the own cookie', async () => {
    const second = await enter(f.anon, passwordOf('owner_u'));
    const answer = await f.owner.call.delete(`/sessions/${second.id}`);
    expect([answer.status, propsOf(answer).id]).toEqual([200, second.id]);
    noCookie(answer);
    ended(await second.call.get('/users/whoami'));
    await alive(f.owner);
  });

  it('is read by its own user alone', async () => {
    const path = `/sessions/${f.owner.sessionId}`;
    const own = await f.owner.call.get(`${path}?includeRelated=user&includeLinks=true&includeMeta=true`);
    expect(own).toMatchObject({
      status: 200,
      body: {
        props: { id: f.owner.sessionId, userId: f.owner.id, type: 'apiKey' },
        related: { user: { props: { username: 'owner_u' } } },
        meta: { kind: 'Session', isOwner: true },
      },
    });
    expect(propsOf(await f.owner.call.get(`${path}/user`))).toMatchObject({ id: f.owner.id });
    const lifetime = Date.parse(String(propsOf(own).expiresAt)) - Date.parse(String(propsOf(own).createdAt));
    expect(Math.abs(lifetime - WEEK * 1000)).toBeLessThan(quick(5000));
    for (const stranger of [f.other.call, f.admin.call]) {
      for (const answer of [
        await stranger.get(path),
        await stranger.get(`${path}/user`),
        await stranger.delete(path),
      ]) {
        expect(answer.status).toBe(404);
        expect(answer.text).not.toMatch(/owner_u|Olive/);
      }
    }
    expect((await f.anon.get(path)).status).toBe(401);
    expect((await f.anon.delete(path)).status).toBe(401);
    expect((await f.owner.call.put(path, { type: 'password' })).status).toBe(405);
    await alive(f.owner);
  });

  it('SE-04: deleting the user ends its sessions, and nothing more is made', async () => {
    expect((await f.admin.call.delete(`/users/${f.owner.id}`)).status).toBe(200);
    ended(await f.owner.call.get('/users/whoami'));
    ended(await f.owner.call.post('/apikeys', { name: 'x', userId: f.owner.id }));
    // No files yet: a test-only kind stands in.
    ended(await f.owner.call.post('/dummythings', { name: 'x' }));
    ended(await f.owner.call.get('/users'));
    expect(
      await service.sql(`SELECT name FROM apikeys WHERE name = 'x' UNION ALL SELECT name FROM dummythings`),
    ).toEqual([]);
  });

  it('SE-06: losing a role takes effect on the next request, and so does gaining it', async () => {
    // No cron jobs yet: topics are visible to admins and developers alone.
    expect((await f.other.call.get('/dummytopics')).status).toBe(403);
    const set = (admin: boolean) => f.admin.call.put(`/users/${f.other.id}`, { admin });
    await set(true);
    expect((await f.other.call.get('/dummytopics')).status).toBe(200);
    expect(itemsOf(await f.other.call.get('/users')).find(({ id }) => id === f.owner.id)).toHaveProperty(
      'email',
    );
    await set(false);
    expect((await f.other.call.get('/dummytopics')).status).toBe(403);
    expect((await f.other.call.put(`/users/${f.owner.id}`, { realName: 'x' })).status).toBe(403);
    const list = await f.other.call.get('/users?itemsPerPage=100');
    for (const props of itemsOf(list).filter(({ id }) => id !== f.other.id)) {
      expect(
        Object.keys(props).filter((name) => !['id', 'createdAt', 'updatedAt', 'avatarId'].includes(name)),
      ).toEqual([]);
    }
    expect(list.text).not.toMatch(/owner\.secret|Olive|admin\.secret/);
    expect(propsOf(await f.admin.call.get(`/users/${f.owner.id}`)).realName).toBe('Olive Owner');
  });

  it('SE-08: cookie attributes over plain HTTP; a forged proxy header changes nothing', async () => {
    const forged = {
      headers: { 'x-forwarded-proto': 'https', forwarded: 'proto=https', 'x-forwarded-ssl': 'on' },
    };
    for (const call of [{}, forged]) {
      const cookie = cookieOf(await f.anon.post('/sessions', loginBy(f.owner), call));
      expect(cookie).toEqual({
        appSessionId: expect.stringMatching(/^v[0-9A-Za-z]{33,}$/),
        'max-age': String(WEEK),
        path: '/',
        httponly: '',
        samesite: 'Lax',
      });
    }
  });

  it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    ['COOKIE_SECURE', { COOKIE_SECURE: 'true' }, {}, true],
    ['a trusted proxy that says https', { TRUST_PROXY: '127.0.0.1' }, { 'x-forwarded-proto': 'https' }, true],
    ['a trusted proxy that says http', { TRUST_PROXY: '127.0.0.1' }, { 'x-forwarded-proto': 'http' }, false],
    ['a proxy that is not trusted', { TRUST_PROXY: '10.0.0.0/8' }, { 'x-forwarded-proto': 'https' }, false],
  ])('SE-08: Secure with %s', async (_name, env, headers, secure) => {
    await instance(env, async ({ anon }) => {
      const answer = await anon.post('/sessions', loginBy(f.owner), { headers });
      expect(Object.hasOwn(cookieOf(answer), 'secure')).toBe(secure);
      expect(cookieOf(answer)).not.toHaveProperty('domain');
      // Where it was set Secure it is cleared so too: else the browser keeps it.
      const gone = await new Caller(anon.base, 'nonsense').get('/users', { headers });
      expect(Object.hasOwn(cookieOf(gone), 'secure')).toBe(secure);
    });
  });

  it('cookies are for other sites where COOKIE_SAME_SITE says so, and those sites alone may use them', async () => {
    const env = { COOKIE_SAME_SITE: 'none', CORS_ORIGINS: 'https://app.test' };
    await instance(env, async ({ anon, url }) => {
      const app = { origin: 'https://app.test', 'sec-fetch-site': 'cross-site' };
      const answer = await anon.post('/sessions', passwordOf('owner_u'), { headers: app });
      for (const name of ['appSessionId', 'appDeviceId'])
        expect(cookieOf(answer, name)).toMatchObject({ samesite: 'None', secure: '', httponly: '' });
      const call = new Caller(url, String(propsOf(answer).id));
      const path = `/users/${f.owner.id}`;
      expect((await call.put(path, { realName: 'app' }, { headers: app })).status).toBe(200);
      for (const headers of [
        { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.test' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'null' },
      ] as Record<string, string>[]) {
        const refused = await call.put(path, { realName: 'csrf' }, { headers });
        expect([headers, refused.status]).toEqual([headers, 403]);
        expect((await call.delete('/sessions', { headers })).status).toBe(403);
      }
      expect(propsOf(await call.get(path)).realName).toBe('app');
      const out = await call.delete('/sessions', { headers: app });
      expect(cookieOf(out)).toMatchObject({ appSessionId: '', samesite: 'None', secure: '' });
    });
  });

  it('SE-09: ids cannot be guessed', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 25; round++) {
      const some = await Promise.all(Array.from({ length: 20 }, () => enter(f.anon, loginBy(f.owner))));
      ids.push(...some.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(500);
    const length = ids[0]?.length ?? 0;
    // 192 bits of 62 characters are 33.
    expect(ids.filter((id) => !/^v[0-9A-Za-z]{33,}$/.test(id) || id.length !== length)).toEqual([]);
    for (let at = 1; at < length; at++) {
      // 500 draws of 62 characters miss about none; a counter or a date would leave positions with few.
      expect([at, new Set(ids.map((id) => id[at])).size > 45]).toEqual([at, true]);
    }
    expect(ids.filter((id) => id.includes(f.owner.id.slice(1)))).toEqual([]);
    const sorted = [...ids].sort();
    expect(sorted.filter((id, i) => id.slice(0, 9) === sorted[i + 1]?.slice(0, 9))).toEqual([]);
  });

  it('is stored as a SHA-256 alone', async () => {
    const rows = await service.sql<{ row: string }>('SELECT s::text AS row FROM sessions s');
    const stored = rows.map(({ row }) => row).join('\n');
    expect(stored).toContain(createHash('sha256').update(f.owner.sessionId).digest('hex'));
    expect(stored).not.toContain(f.owner.sessionId.slice(1));
    expect(rows).toHaveLength(3);
  });

  it('SE-11: nobody gets a list of sessions', async () => {
    for (const call of [f.anon, f.other.call, f.admin.call]) {
      for (const path of [
        '/sessions',
        '/sessions?search=a',
        '/sessions?itemsPerPage=100&page=1',
        '/sessions/options',
      ]) {
        const answer = await call.get(path);
        expect([path, [401, 404, 405].includes(answer.status)]).toEqual([path, true]);
        for (const person of [f.owner, f.other, f.admin]) expect(answer.text).not.toContain(person.sessionId);
      }
      expect((await call.get(`/users/${f.other.id}/sessions`)).status).toBe(404);
    }
  });

  it('an invalid cookie is 401 and cleared everywhere, except on login and on /test', async () => {
    const flipped = f.owner.sessionId.replace(/[a-z]/, (c) => c.toUpperCase());
    const bad = [
      'x',
      `v${'A'.repeat(43)}`,
      flipped,
      f.owner.sessionId.slice(0, -1),
      `${f.owner.sessionId}0`,
      '%00',
      f.owner.id,
    ];
    for (const value of bad) {
      const call = new Caller(service.url, value);
      ended(await call.get('/users'));
      ended(await call.get(`/users/${f.other.id}`));
      ended(await call.get('/users/options'));
      ended(await call.get('/dummythings'));
      ended(await call.post('/users', { username: 'never', email: 'never@mail.test', password: PASSWORD }));
      ended(await call.delete(`/users/${f.other.id}`));
      ended(await call.delete('/sessions'));
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await call.send(method, '/test');
        expect(answer.status).toBe(200);
        noCookie(answer);
      }
      expect((await call.get('/nope')).status).toBe(404);
      const login = await call.post('/sessions', loginBy(f.owner));
      expect(login.status).toBeLessThan(300);
      expect(cookieOf(login).appSessionId).not.toBe('');
    }
    expect(await service.sql(`SELECT 1 FROM users WHERE username = 'never'`)).toEqual([]);
    await alive(f.owner);
    await alive(f.other);
  });

  it('an empty cookie, and cookies of others, are no session', async () => {
    for (const cookie of ['appSessionId=', 'other=1', 'APPSESSIONID=x', 'xappSessionId=x']) {
      const answer = await f.anon.get('/users', { headers: { cookie } });
      expect(answer.status).toBe(200);
      noCookie(answer);
      expect(answer.text).not.toContain('owner.secret');
    }
  });
});

describe('several cookies of the name', () => {
  const values = (): string[] => [f.owner.sessionId, f.other.sessionId, '', 'x', `v${'A'.repeat(43)}`];
  /** Two cookies, as one header has them and as two have. */
  const both = (a: string, b: string): string[][] => [
    [`cookie: appSessionId=${a}; appSessionId=${b}`],
    [`cookie: other=1; appSessionId=${a}`, `cookie: appSessionId=${b}`],
  ];
  const all = () =>
    values().flatMap((a) =>
      values().flatMap((b) => (a === f.owner.sessionId || b === f.owner.sessionId ? both(a, b) : [])),
    );

  it('are 401 in every order, and nothing is done', async () => {
    for (const headers of all()) {
      for (const line of ['GET /api/v1/users/whoami', 'GET /api/v1/dummythings', 'DELETE /api/v1/sessions']) {
        const answer = await request(service.url, line, headers);
        expect([headers, line, answer.statuses]).toEqual([headers, line, [401]]);
        expect(answer.text).not.toContain('owner_u');
        // Which of them is the service's own can't be told.
        expect(answer.text).not.toMatch(/set-cookie/i);
      }
    }
    await alive(f.owner);
    await alive(f.other);
  });

  it('make no device a known one, in whatever order', async () => {
    const env = { LOGIN_RATE_PER_NAME_IN_ALL: '3' };
    await instance(env, async ({ url, anon }) => {
      const known = cookieOf(await anon.post('/sessions', passwordOf('owner_u')), 'appDeviceId').appDeviceId;
      const other = cookieOf(await anon.post('/sessions', passwordOf('other_u')), 'appDeviceId').appDeviceId;
      for (let i = 0; i < 3; i++) await anon.post('/sessions', passwordOf('owner_u', 'wrong wrong'));
      const enter = async (...cookies: string[]) => {
        const headers = ['content-type: application/json', ...cookies.map((cookie) => `cookie: ${cookie}`)];
        const body = JSON.stringify(passwordOf('owner_u'));
        return (await request(url, 'POST /api/v1/sessions', headers, body)).statuses;
      };
      const good = `appDeviceId=${known ?? ''}`;
      for (const second of ['appDeviceId=x', 'appDeviceId=', `appDeviceId=${other ?? ''}`, good]) {
        for (const cookies of [
          [`${good}; ${second}`],
          [`${second}; ${good}`],
          [good, second],
          [second, good],
        ])
          expect([cookies, await enter(...cookies)]).toEqual([cookies, [429]]);
      }
      expect(await enter(good)).toEqual([201]);
    });
  });

  it('don’t keep a login out, which ends the session of each', async () => {
    const [headers = []] = both(f.owner.sessionId, f.other.sessionId);
    const body = JSON.stringify(loginBy(f.admin));
    const json = 'content-type: application/json';
    const answer = await request(service.url, 'POST /api/v1/sessions', [...headers, json], body);
    expect(answer.statuses).toEqual([201]);
    for (const person of [f.owner, f.other])
      expect((await person.call.get('/users/whoami')).status).toBe(401);
    await alive(f.admin);
  });
});

describe('lifetime', () => {
  const age = (person: Person, created: string, expires: string) =>
    service.sql(
      `UPDATE sessions SET "createdAt" = now() - $2::interval, "expiresAt" = now() + $3::interval WHERE "tokenHash" = $1`,
      [createHash('sha256').update(person.sessionId).digest('hex'), created, expires],
    );
  const left = async (person: Person) => {
    const { expiresAt } = propsOf(await person.call.get(`/sessions/${person.sessionId}`));
    return (Date.parse(String(expiresAt)) - Date.now()) / DAY_MS;
  };

  it('use moves the end on and renews the cookie', async () => {
    await age(f.owner, '6 days', '1 day');
    const answer = await f.owner.call.get('/users');
    expect(cookieOf(answer)).toEqual({
      appSessionId: f.owner.sessionId,
      'max-age': String(WEEK),
      path: '/',
      httponly: '',
      samesite: 'Lax',
    });
    expect(await left(f.owner)).toBeCloseTo(7, 1);
  });

  it('never beyond the absolute end', async () => {
    await age(f.owner, '29 days 12 hours', '1 hour');
    const answer = await f.owner.call.get('/users/whoami');
    expect(answer.status).toBe(200);
    // A cookie that outlives its session would be harmless, but is not the lifetime that decisions.md §8 means.
    expect(Math.abs(Number(cookieOf(answer)['max-age']) - 12 * 3600)).toBeLessThanOrEqual(1);
    expect(await left(f.owner)).toBeCloseTo(0.5, 1);
    await age(f.owner, '30 days', '0');
    ended(await f.owner.call.get('/users/whoami'));
  });

  it('a session that is over stays over, whatever comes', async () => {
    await age(f.owner, '8 days', '-1 second');
    ended(await f.owner.call.get('/users/whoami'));
    ended(await f.owner.call.get('/users/whoami'));
    ended(await f.owner.call.delete('/sessions'));
    const other = await f.other.call.get(`/sessions/${f.owner.sessionId}`);
    expect(other.status).toBe(404);
  });

  it('both lifetimes are settings', async () => {
    await instance({ SESSION_IDLE_SECONDS: '1', SESSION_ABSOLUTE_SECONDS: '3' }, async ({ anon }) => {
      const [used, idle] = [await enter(anon, loginBy(f.owner)), await enter(anon, loginBy(f.owner))];
      const start = Date.now();
      expect(cookieOf(used.answer)['max-age']).toBe('1');
      let renewed = 0;
      let last = 0;
      for (;;) {
        await sleep(300);
        const answer = await used.call.get('/users/whoami');
        if (answer.status === 401) {
          ended(answer);
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
      ended(await idle.call.get('/users/whoami'));
    });
  });
});

describe('what ends a session', () => {
  interface Sessions {
    readonly byKey: Caller;
    readonly byPassword: Caller;
    readonly second: Caller;
  }
  const three = async (): Promise<Sessions> => ({
    byKey: f.owner.call,
    byPassword: (await enter(f.anon, passwordOf('owner_u'))).call,
    second: (await enter(f.anon, passwordOf('owner_u'))).call,
  });
  /** Which of the sessions still live. */
  const living = async (sessions: Sessions) => {
    const answers = await Promise.all(
      Object.entries(sessions).map(async ([name, call]: [string, Caller]) => ({
        name,
        answer: await call.get('/users/whoami'),
      })),
    );
    for (const { answer } of answers.filter((one) => one.answer.status !== 200)) ended(answer);
    return answers.filter(({ answer }) => answer.status === 200).map(({ name }) => name);
  };
  const NEW = 'another horse battery';

  it('deleting its API key, but no other session', async () => {
    const sessions = await three();
    expect((await sessions.byPassword.delete(`/apikeys/${f.owner.key.id}`)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    await alive(f.other);
  });

  const expire = (call: Caller, ms: number | null) =>
    call.put(`/apikeys/${f.owner.key.id}`, {
      expiresAt: ms === null ? null : new Date(Date.now() + ms).toISOString(),
    });

  it('an edit that makes its API key expire', async () => {
    const sessions = await three();
    expect((await expire(sessions.second, DAY_MS)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byKey', 'byPassword', 'second']);
    expect((await expire(sessions.second, -1)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
  });

  it('its API key’s expiry, for good: a session does not come back to life with the key', async () => {
    const sessions = await three();
    await expire(sessions.second, -1);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    expect((await expire(sessions.second, null)).status).toBe(200);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
    await enter(f.anon, loginBy(f.owner));
  });

  it('its API key expiring by itself', async () => {
    const sessions = await three();
    expect((await expire(sessions.second, 400)).status).toBe(200);
    expect((await sessions.byKey.get('/users/whoami')).status).toBe(200);
    await sleep(500);
    expect(await living(sessions)).toEqual(['byPassword', 'second']);
  });

  it('a password change by the user: all others of that user', async () => {
    const sessions = await three();
    const answer = await sessions.second.put(`/users/${f.owner.id}`, {
      password: NEW,
      currentPassword: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/password|battery/);
    expect(await living(sessions)).toEqual(['second']);
    await alive(f.other);
    await alive(f.admin);
    expect((await f.anon.post('/sessions', passwordOf('owner_u'))).status).toBe(401);
    await enter(f.anon, passwordOf('owner_u', NEW));
    // The key is no password: it goes on.
    await enter(f.anon, loginBy(f.owner));
  });

  it('a password change by an admin: all of that user, none of the admin', async () => {
    const sessions = await three();
    expect((await f.admin.call.put(`/users/${f.owner.id}`, { password: NEW })).status).toBe(200);
    expect(await living(sessions)).toEqual([]);
    await alive(f.admin);
    await alive(f.other);
  });

  it('an admin’s change of the own password spares the session that made it', async () => {
    const second = await enter(f.anon, passwordOf('admin_u'));
    expect(
      (await f.admin.call.put(`/users/${f.admin.id}`, { password: NEW, currentPassword: PASSWORD })).status,
    ).toBe(200);
    await alive(f.admin);
    ended(await second.call.get('/users/whoami'));
  });

  it('a refused password change ends nothing', async () => {
    const sessions = await three();
    expect((await sessions.second.put(`/users/${f.owner.id}`, { password: 'short' })).status).toBe(422);
    expect(
      (
        await sessions.second.put(`/users/${f.owner.id}`, {
          password: NEW,
          username: 'other_u',
          currentPassword: PASSWORD,
        })
      ).status,
    ).toBe(409);
    expect((await f.other.call.put(`/users/${f.owner.id}`, { password: NEW })).status).toBe(403);
    expect(await living(sessions)).toEqual(['byKey', 'byPassword', 'second']);
    await enter(f.anon, passwordOf('owner_u'));
  });

  it('the user deleting itself', async () => {
    const sessions = await three();
    expect((await sessions.byPassword.delete(`/users/${f.owner.id}`)).status).toBe(200);
    expect(await living(sessions)).toEqual([]);
    await alive(f.other);
  });

  it('and it ends on every instance', async () => {
    await instance({}, async (other) => {
      const there = new Caller(other.url, f.owner.sessionId);
      expect((await there.get('/users/whoami')).status).toBe(200);
      await f.owner.call.delete('/sessions');
      ended(await there.get('/users/whoami'));
    });
  });
});

describe('other sites', () => {
  const EVIL = [
    { origin: 'https://evil.test' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
  ] as Record<string, string>[];

  it.each(EVIL)('unsafe methods with a cookie are refused: %j', async (headers) => {
    const call = { headers };
    const answers = [
      await f.owner.call.put(`/users/${f.owner.id}`, { realName: 'csrf' }, call),
      await f.owner.call.post('/dummythings', { name: 'csrf' }, call),
      await f.owner.call.delete(`/apikeys/${f.owner.key.id}`, call),
      await f.owner.call.delete('/sessions', call),
      await f.owner.call.delete(`/sessions/${f.owner.sessionId}`, call),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 403, data: null } } });
      noCookie(answer);
    }
    await alive(f.owner);
    expect(propsOf(await f.owner.call.get(`/users/${f.owner.id}`)).realName).toBe('Olive Owner');
    expect((await f.owner.call.get(`/apikeys/${f.owner.key.id}`)).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
    // Reading is harmless, because the other site can't read the answer.
    expect((await f.owner.call.get('/users/whoami', call)).status).toBe(200);
  });

  it('requests of the own site, and of programs, pass', async () => {
    const origin = service.url;
    for (const headers of [
      {},
      { origin },
      { origin, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ] as Record<string, string>[]) {
      const answer = await f.owner.call.put(`/users/${f.owner.id}`, { realName: 'mine' }, { headers });
      expect([headers, answer.status]).toEqual([headers, 200]);
    }
  });

  it.each(EVIL)('CC-08: login from another site is refused: %j', async (headers) => {
    for (const body of [loginBy(f.other), passwordOf('other_u')]) {
      for (const call of [f.anon, new Caller(service.url, 'invalid'), f.owner.call]) {
        const answer = await call.post('/sessions', body, { headers });
        expect(answer.status).toBe(403);
        noCookie(answer);
      }
    }
    expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(3);
  });

  it('CC-01: JSON in a text/plain body is refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      for (const headers of [
        { 'content-type': type, origin: 'https://evil.test' },
        { 'content-type': type },
      ] as Record<string, string>[]) {
        const answer = await f.owner.call.put(`/users/${f.owner.id}`, '{"realName":"csrf"}', { headers });
        expect([403, 415]).toContain(answer.status);
      }
    }
    expect(propsOf(await f.owner.call.get(`/users/${f.owner.id}`)).realName).toBe('Olive Owner');
  });

  it('CC-03: odd content types never skip validation', async () => {
    const types = [
      'application/json\t; charset=utf-8',
      'application/json ;x',
      'APPLICATION/JSON',
      'application/json,text/plain',
      'text/plain; application/json',
      'application/jsonx',
      'application/vnd.api+json',
      'application/json; charset=utf-16',
    ];
    for (const type of types) {
      const headers = [`cookie: appSessionId=${f.owner.sessionId}`, `content-type: ${type}`];
      const body = '{"realName":{"a":1},"admin":true}';
      const answer = await request(service.url, `PUT /api/v1/users/${f.owner.id}`, headers, body);
      // decisions.md §4: exactly application/json; the name of a media type has no case (RFC 9110 §8.3.1).
      const expected = type === 'APPLICATION/JSON' ? [422, 442] : [415, 415];
      expect([type, ...answer.statuses, (jsonOf(answer).error as { code: number }).code]).toEqual([
        type,
        ...expected,
      ]);
    }
    expect(propsOf(await f.admin.call.get(`/users/${f.owner.id}`))).toMatchObject({
      realName: 'Olive Owner',
      admin: false,
    });
  });

  it('CC-06: CORS is closed by default', async () => {
    const origin = 'https://evil.test';
    const preflight = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type',
    };
    const answers = [
      await f.anon.send('OPTIONS', '/users', { headers: preflight }),
      await f.owner.call.get('/users/whoami', { headers: { origin } }),
      await f.owner.call.get('/users/nope', { headers: { origin } }),
      await f.owner.call.put(`/users/${f.owner.id}`, {}, { headers: { origin } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(500);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('CC-06: an exact list of origins opens it for those alone', async () => {
    await instance({ CORS_ORIGINS: 'https://app.test,https://two.test:8443' }, async (other) => {
      const owner = new Caller(other.url, f.owner.sessionId);
      const from = (origin: string) => ({ headers: { origin, 'sec-fetch-site': 'cross-site' } });
      for (const origin of ['https://app.test', 'https://two.test:8443']) {
        const write = await owner.put(`/users/${f.owner.id}`, { realName: origin }, from(origin));
        expect(write.status).toBe(200);
        expect(write.headers.get('access-control-allow-origin')).toBe(origin);
        expect(write.headers.get('access-control-allow-credentials')).toBe('true');
        expect(write.headers.get('vary')).toMatch(/origin/i);
        expect((await other.anon.post('/sessions', loginBy(f.owner), from(origin))).status).toBeLessThan(300);
        // A failure can be read as well.
        expect(
          (await owner.get('/users/nope', from(origin))).headers.get('access-control-allow-origin'),
        ).toBe(origin);
      }
      for (const origin of [
        'https://evil.test',
        'https://app.test.evil.test',
        'http://app.test',
        'https://two.test',
        'null',
      ]) {
        const answers = [
          await owner.put(`/users/${f.owner.id}`, { realName: 'csrf' }, from(origin)),
          await other.anon.post('/sessions', loginBy(f.owner), from(origin)),
        ];
        for (const answer of answers) {
          expect([origin, answer.status]).toEqual([origin, 403]);
          expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
          noCookie(answer);
        }
        const read = await owner.get('/users/whoami', from(origin));
        expect(read.headers.get('access-control-allow-origin')).toBeNull();
      }
      expect(propsOf(await f.owner.call.get('/users/whoami')).realName).toBe('https://two.test:8443');
    });
  });

  it('CC-09: safe response headers', async () => {
    const answers = [
      await f.owner.call.get('/users/whoami'),
      await f.anon.get('/users/nope'),
      await f.anon.get('/users?callback=alert'),
      await f.owner.call.get('/sessions'),
      await f.anon.post('/sessions', {}),
    ];
    for (const { headers, text } of answers) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toMatch(/no-store|private/);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(text.startsWith('{')).toBe(true);
      expect(text).not.toContain('alert(');
    }
    expect(warnedOf(answers[2] as Answer)).toEqual(['callback']);
  });
});

describe('how a user logs in', () => {
  const NEW = 'another horse battery';
  const CHANGES = [{ password: NEW }, { email: 'new@mail.test' }, { username: 'owner_new' }];
  const audits = (answer: Answer) =>
    service.log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, requestId }) => msg === 'audit' && requestId === answer.headers.get('x-request-id'))
      .map(({ event, action, actor, target, outcome }) => [event, action, actor, target, outcome]);

  it.each(CHANGES)('is changed with the password alone, whatever began the session: %j', async (change) => {
    const path = `/users/${f.owner.id}`;
    const before = await service.sql('SELECT * FROM users WHERE username = $1', ['owner_u']);
    const calls = [f.owner.call, (await enter(f.anon, passwordOf('owner_u'))).call];
    for (const call of calls) {
      expect(await call.put(path, change)).toMatchObject({
        status: 422,
        body: { error: { code: 441, data: 'currentPassword' } },
      });
      for (const currentPassword of ['wrong wrong', f.owner.key.privateKey, 'x']) {
        const wrong = await call.put(path, { ...change, currentPassword });
        expect(wrong).toMatchObject({ status: 403, body: { error: { code: 403, data: 'currentPassword' } } });
        expect(wrong.text).not.toContain(currentPassword === 'x' ? PASSWORD : currentPassword);
      }
    }
    expect(await service.sql('SELECT * FROM users WHERE username = $1', ['owner_u'])).toEqual(before);
    const changed = await f.owner.call.put(path, { ...change, currentPassword: PASSWORD });
    expect(changed.status).toBe(200);
    expect(changed.text).not.toMatch(/horse battery|currentPassword/);
    const what = `change ${Object.keys(change)[0] ?? ''}`;
    expect(audits(changed)).toEqual([['credentials', what, f.owner.id, f.owner.id, 'success']]);
  });

  it('needs no password for what is as it was, and judges none', async () => {
    const path = `/users/${f.owner.id}`;
    const { username, email } = f.owner;
    expect((await f.owner.call.put(path, { username, email, realName: 'x' })).status).toBe(200);
    // Nothing to confirm: whether a password is right is not told.
    expect((await f.owner.call.put(path, { currentPassword: 'wrong wrong' })).status).toBe(200);
    const made = await f.anon.post('/users', {
      username: 'fresh',
      email: 'fresh@mail.test',
      password: PASSWORD,
      currentPassword: PASSWORD,
    });
    expect([made.status, warnedOf(made)]).toEqual([201, ['currentPassword']]);
  });

  it('administrators change that of others, and their own like everybody', async () => {
    for (const change of CHANGES) {
      const answer = await f.admin.call.put(`/users/${f.owner.id}`, change);
      expect(answer.status).toBe(200);
      expect(audits(answer)).toMatchObject([
        ['credentials', expect.any(String), f.admin.id, f.owner.id, 'success'],
      ]);
      const own = {
        ...change,
        ...(change.email && { email: 'adm@mail.test' }),
        ...(change.username && { username: 'adm' }),
      };
      const path = `/users/${f.admin.id}`;
      expect((await f.admin.call.put(path, own)).status).toBe(422);
      expect((await f.admin.call.put(path, { ...own, currentPassword: 'wrong wrong' })).status).toBe(403);
    }
  });

  it('CREDENTIAL_RATE_PER_USER limits the changes, and the guesses, of one user', async () => {
    await instance({ CREDENTIAL_RATE_PER_USER: '3' }, async ({ url }) => {
      for (const person of [f.owner, f.admin]) {
        const call = new Caller(url, person.sessionId);
        const path = `/users/${person.id}`;
        const guess = { username: `${person.username}2`, currentPassword: 'wrong wrong' };
        for (const status of [403, 403, 403, 429]) expect((await call.put(path, guess)).status).toBe(status);
        const right = await call.put(path, { ...guess, currentPassword: PASSWORD });
        const wait = Number(right.headers.get('retry-after'));
        expect(right).toMatchObject({ status: 429, body: { error: { data: wait } } });
        expect(wait).toBeGreaterThan(3500);
        expect(wait).toBeLessThanOrEqual(3600);
        expect((await call.put(path, { realName: 'x' })).status).toBe(200);
      }
      // Each user by itself; what an administrator does for others is not counted.
      const others = new Caller(url, f.other.sessionId);
      const body = { username: 'other_2', currentPassword: PASSWORD };
      expect((await others.put(`/users/${f.other.id}`, body)).status).toBe(200);
      const admin = new Caller(url, f.admin.sessionId);
      for (let i = 0; i < 5; i++)
        expect((await admin.put(`/users/${f.other.id}`, { username: `by_admin${i}` })).status).toBe(200);
    });
  });

  it('a key that goes to another user ends, with its sessions, for good', async () => {
    const path = `/apikeys/${f.owner.key.id}`;
    const mine = await f.owner.call.put(path, { userId: f.other.id });
    expect(mine.status).toBe(403);
    await alive(f.owner);
    const moved = await f.admin.call.put(path, { userId: f.other.id });
    expect(moved.status).toBe(200);
    expect(audits(moved)).toEqual([['apikey', 'move', f.admin.id, f.owner.key.id, 'success']]);
    expect(Date.parse(String(propsOf(moved).expiresAt))).toBeLessThanOrEqual(Date.now());
    ended(await f.owner.call.get('/users/whoami'));
    expect((await f.anon.post('/sessions', loginBy(f.owner))).status).toBe(401);
    // Not even when it is said to go on.
    expect((await f.other.call.put(path, { expiresAt: null })).status).toBe(200);
    expect((await f.anon.post('/sessions', loginBy(f.owner))).status).toBe(401);
    expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(2);
  });

  it('keys, deletions and logouts leave a line in the audit', async () => {
    const made = await f.owner.call.post('/apikeys', { name: 'audited' });
    const id = String(propsOf(made).id);
    expect(audits(made)).toEqual([['apikey', 'create', f.owner.id, id, 'success']]);
    expect(audits(await f.owner.call.put(`/apikeys/${id}`, { name: 'renamed' }))).toEqual([]);
    const gone = await f.owner.call.delete(`/apikeys/${id}`);
    expect(audits(gone)).toEqual([['apikey', 'delete', f.owner.id, id, 'success']]);
    const out = await f.owner.call.delete('/sessions');
    expect(audits(out)).toEqual([['logout', 'end', f.owner.id, f.owner.id, 'success']]);
    const removed = await f.admin.call.delete(`/users/${f.owner.id}`);
    expect(audits(removed)).toEqual([['user', 'delete', f.admin.id, f.owner.id, 'success']]);
    expect(audits(await f.other.call.put(`/users/${f.other.id}`, { realName: 'x' }))).toEqual([]);
  });

  it('an address that is only written in another case stays verified, and so does what an administrator sets', async () => {
    const path = `/users/${f.owner.id}`;
    const verified = async () => propsOf(await f.owner.call.get(path)).verifiedEmail;
    await f.admin.call.put(path, { verifiedEmail: true });
    const email = f.owner.email.toUpperCase();
    const shouted = await f.owner.call.put(path, { email, currentPassword: PASSWORD });
    expect(propsOf(shouted)).toMatchObject({ email, verifiedEmail: true });
    for (const before of [true, false]) {
      await f.admin.call.put(path, { verifiedEmail: before });
      const both = { email: `set${String(before)}@mail.test`, verifiedEmail: true };
      expect(propsOf(await f.admin.call.put(path, both))).toMatchObject(both);
    }
    // What only the owner says of itself does not count.
    const own = { email: 'own@mail.test', verifiedEmail: true, currentPassword: PASSWORD };
    expect(propsOf(await f.owner.call.put(path, own))).toMatchObject({ verifiedEmail: false });
    await f.admin.call.put(path, { verifiedEmail: true });
    await f.admin.call.put(path, { email: 'by.admin@mail.test' });
    expect(await verified()).toBe(false);
  });

  it('who gives up the right to see something does not see it in the answer', async () => {
    const [file] = await service.sql<{ id: string }>(
      `INSERT INTO objectfiles (filename, "contentType", "sizeInBytes", extension, status, "userId", "fileKey")
       SELECT 'of-owner.png', 'image/png', 1, 'png', 'ready', id, 'f/1' FROM users WHERE username = 'owner_u' RETURNING id`,
    );
    const path = `/users/${f.admin.id}`;
    await service.sql(`UPDATE users SET "avatarId" = $1 WHERE username = 'admin_u'`, [file?.id]);
    await addPerson(service, 'admin_2', 'admin2@mail.test', 'Ada Two', { admin: true });
    const before = await f.admin.call.put(`${path}?includeRelated=avatar`, { realName: 'Ada' });
    expect(before.text).toContain('of-owner.png');
    const after = await f.admin.call.put(`${path}?includeRelated=avatar`, { admin: false });
    expect(after).toMatchObject({ status: 200, body: { props: { admin: false } } });
    expect(after.text).not.toContain('of-owner.png');
  });
});

describe('a session made by a key', () => {
  it('ends with the key, also when its end was set before the login', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    expect((await f.admin.call.put(`/apikeys/${f.other.key.id}`, { expiresAt })).status).toBe(200);
    const { call, answer } = await enter(f.anon, loginBy(f.other));
    expect(propsOf(answer).expiresAt).toBe(expiresAt);
    expect((await call.get('/users/whoami')).status).toBe(200);
    // Use does not move it on.
    const rows = await service.sql<{ at: Date }>(
      `SELECT "expiresAt" AS at FROM sessions ORDER BY id DESC LIMIT 1`,
    );
    expect(rows[0]?.at.toISOString()).toBe(expiresAt);
    await sleep(Math.max(Date.parse(expiresAt) - Date.now() + 20, 0));
    ended(await call.get('/users/whoami'));
  });
});

describe('MAX_SESSIONS_PER_USER', () => {
  it.each(['owner', 'admin'] as const)('ends the oldest sessions of %s at a login beyond it', async (who) => {
    const MAX = 4;
    const person = f[who];
    await instance({ MAX_SESSIONS_PER_USER: String(MAX) }, async ({ url, anon }) => {
      const calls: Caller[] = [];
      for (let i = 0; i < MAX + 5; i++) {
        const answer = await anon.post('/sessions', i % 2 ? loginBy(person) : passwordOf(person.username));
        expect(answer.status).toBe(201);
        calls.push(new Caller(url, String(propsOf(answer).id)));
      }
      const statuses = [];
      for (const call of calls) statuses.push((await call.get('/users/whoami')).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 200, 200, 200, 200]);
      ended(await new Caller(url, person.sessionId).get('/users/whoami'));
      const count = `SELECT 1 FROM sessions WHERE "userId" = (SELECT id FROM users WHERE username = $1)`;
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      // A login that fails ends nothing, nor do those of others.
      await anon.post('/sessions', passwordOf(person.username, 'wrong wrong'));
      await anon.post('/sessions', loginBy(f.other));
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      await alive(f.other);
      // Those of one moment may be more by their number, and the next one puts it right.
      await Promise.all(Array.from({ length: 6 }, () => anon.post('/sessions', loginBy(person))));
      expect((await service.sql(count, [person.username])).length).toBeLessThanOrEqual(MAX + 6);
      const last = await anon.post('/sessions', loginBy(person));
      expect(await service.sql(count, [person.username])).toHaveLength(MAX);
      expect((await new Caller(url, String(propsOf(last).id)).get('/users/whoami')).status).toBe(200);
    });
  });

  it('0 is no limit', async () => {
    await instance({ MAX_SESSIONS_PER_USER: '0' }, async ({ anon }) => {
      await service.sql(
        `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt")
         SELECT id, 'password', 'hash ' || i, now() + interval '1 hour' FROM users, generate_series(1, 150) i
         WHERE username = 'owner_u'`,
      );
      expect((await anon.post('/sessions', loginBy(f.owner))).status).toBe(201);
      await alive(f.owner);
      expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(154);
    });
  });
});

describe('what has waited for a connection is authorised again', () => {
  it('a create and an update whose session has ended meanwhile, and that of somebody else goes on', async () => {
    const database = service.app.get(Database);
    const [mine, theirs] = await Promise.all(
      [f.owner, f.other].map((person) => made(person.call, '/dummythings', { name: 'before' })),
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
      const answers = [f.owner, f.other].flatMap(({ call }, i) => [
        call.post('/dummythings', { name: 'after' }),
        call.put(`/dummythings/${[mine, theirs][i] ?? ''}`, { name: 'after' }),
      ]);
      await waiting(before + 2); // one shared insert, one shared update
      await service.sql('DELETE FROM sessions WHERE "tokenHash" = $1', [
        createHash('sha256').update(f.owner.sessionId).digest('hex'),
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

describe('users through their sessions', () => {
  it('sign-up never sets a role, and neither does the owner', async () => {
    const roles = { admin: true, developer: true, verifiedEmail: true };
    const made = await f.anon.post('/users', {
      username: 'new1',
      email: 'new1@mail.test',
      password: PASSWORD,
      ...roles,
    });
    expect(made.status).toBeLessThan(300);
    expect(warnedOf(made).sort()).toEqual(['admin', 'developer', 'verifiedEmail']);
    const { call } = await enter(f.anon, passwordOf('new1'));
    const own = { admin: false, developer: false, verifiedEmail: false };
    expect(propsOf(await call.get('/users/whoami'))).toMatchObject(own);
    const tried = await call.put(`/users/${String(propsOf(made).id)}`, { ...roles, realName: 'New' });
    expect(tried).toMatchObject({ status: 200, body: { props: { ...own, realName: 'New' } } });
    expect(warnedOf(tried).sort()).toEqual(['admin', 'developer', 'verifiedEmail']);
    expect((await call.get('/dummytopics')).status).toBe(403);
  });

  it('changing the e-mail resets verifiedEmail; writing the same one does not', async () => {
    const path = `/users/${f.owner.id}`;
    const verify = () => f.admin.call.put(path, { verifiedEmail: true });
    expect(propsOf(await verify())).toMatchObject({ verifiedEmail: true });
    expect(propsOf(await f.owner.call.put(path, { realName: 'Olive' }))).toMatchObject({
      verifiedEmail: true,
    });
    expect(propsOf(await f.owner.call.put(path, { email: f.owner.email }))).toMatchObject({
      verifiedEmail: true,
    });
    const moved = await f.owner.call.put(path, { email: 'olive@mail.test', currentPassword: PASSWORD });
    expect(propsOf(moved)).toMatchObject({ email: 'olive@mail.test', verifiedEmail: false });
    // A failed change resets nothing.
    await verify();
    expect((await f.owner.call.put(path, { email: f.other.email, currentPassword: PASSWORD })).status).toBe(
      409,
    );
    expect(propsOf(await f.owner.call.get(path))).toMatchObject({
      verifiedEmail: true,
      email: 'olive@mail.test',
    });
  });

  it('a user that is made by an admin may log in, and is no admin', async () => {
    const person = await addPerson(service, 'plain', 'plain@mail.test', 'Plain');
    expect(propsOf(await person.call.get('/users/whoami'))).toMatchObject({ admin: false });
    expect((await person.call.get('/dummytopics')).status).toBe(403);
  });
});
