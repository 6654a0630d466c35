import { BASE_PROPS } from '../support/values.js';
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, Caller } from '../support/client.js';
import { PASSWORD } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { jsonOf, sendRequest } from '../support/raw-requests.js';
import { itemsOf, propsOf, warningsAbout } from '../support/answers.js';
import {
  keyLogin,
  cookieOf,
  expectEnded,
  passwordLogin,
  expectAlive,
  logIn,
  expectNoCookie,
  withInstance,
} from './session-requests.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* What a session cookie gives access to, who may send it, and what it says. */

useKindsService();

const WEEK = 7 * 24 * 3600;

describe('the session', () => {
  it('never has an id that the client chose', async () => {
    const planted = '11111111-1111-4111-8111-111111111111';
    for (const chosen of [planted, `v${'1'.repeat(43)}`]) {
      const victim = new Caller(service.url, chosen);
      const answer = await victim.post('/sessions', keyLogin(people.owner));
      expect(answer.status).toBeLessThan(300);
      expect(cookieOf(answer).appSessionId).not.toBe(chosen);
      expect(answer.text).not.toContain(chosen);
      expectEnded(await victim.get('/users/whoami'));
    }
  });

  it.each([
    ['a key', () => keyLogin(people.owner)],
    ['a password', () => passwordLogin('owner_u')],
  ])('a login by %s ends the session that came along, one that fails does not', async (_by, body) => {
    const failed = await people.other.call.post('/sessions', { ...passwordLogin('owner_u', 'wrong wrong') });
    expect(failed.status).toBe(401);
    await expectAlive(people.other);
    const { call } = await logIn(people.other.call, body());
    expectEnded(await people.other.call.get('/users/whoami'));
    await expectAlive(people.owner);
    // Again, as the same user.
    const again = await logIn(call, body());
    expectEnded(await call.get('/users/whoami'));
    expect((await again.call.get('/users/whoami')).status).toBe(200);
  });

  it('ends on the server at logout', async () => {
    const answer = await people.owner.call.delete(`/sessions/${people.owner.sessionId}?includeMeta=true`);
    expect(answer).toMatchObject({
      status: 200,
      body: { props: { id: people.owner.sessionId }, meta: { deleted: true } },
    });
    expect(cookieOf(answer)).toMatchObject({ appSessionId: '', path: '/' });
    expectEnded(await people.owner.call.get('/users/whoami'));
    expectEnded(await people.owner.call.put(`/users/${people.owner.id}`, { realName: 'x' }));
    expectEnded(await people.owner.call.delete('/sessions'));
    expect(propsOf(await people.admin.call.get(`/users/${people.owner.id}`)).realName).toBe('Olive Owner');
    expect(
      await service.sql('SELECT 1 FROM sessions s JOIN users u ON u.id = s."userId" WHERE u.username = $1', [
        'owner_u',
      ]),
    ).toEqual([]);
    await expectAlive(people.other);
  });

  it('DELETE /sessions ends that of the cookie, and only that', async () => {
    const second = await logIn(people.anon, passwordLogin('owner_u'));
    const answer = await second.call.delete('/sessions');
    expect(answer).toMatchObject({ status: 200, body: { props: { id: second.id, type: 'password' } } });
    expect(answer.body).not.toHaveProperty('meta');
    expect(cookieOf(answer).appSessionId).toBe('');
    expectEnded(await second.call.get('/users/whoami'));
    await expectAlive(people.owner);
    expect((await people.anon.delete('/sessions')).status).toBe(401);
  });

  it('ends another session of the same user by its id, without touching the own cookie', async () => {
    const second = await logIn(people.anon, passwordLogin('owner_u'));
    const answer = await people.owner.call.delete(`/sessions/${second.id}`);
    expect([answer.status, propsOf(answer).id]).toEqual([200, second.id]);
    expectNoCookie(answer);
    expectEnded(await second.call.get('/users/whoami'));
    await expectAlive(people.owner);
  });

  it('is read by its own user alone', async () => {
    const path = `/sessions/${people.owner.sessionId}`;
    const own = await people.owner.call.get(`${path}?includeRelated=user&includeLinks=true&includeMeta=true`);
    expect(own).toMatchObject({
      status: 200,
      body: {
        props: { id: people.owner.sessionId, userId: people.owner.id, type: 'apiKey' },
        related: { user: { props: { username: 'owner_u' } } },
        meta: { kind: 'Session', isOwner: true },
      },
    });
    expect(propsOf(await people.owner.call.get(`${path}/user`))).toMatchObject({ id: people.owner.id });
    const lifetime = Date.parse(String(propsOf(own).expiresAt)) - Date.parse(String(propsOf(own).createdAt));
    expect(Math.abs(lifetime - WEEK * 1000)).toBeLessThan(quick(5000));
    for (const stranger of [people.other.call, people.admin.call]) {
      for (const answer of [
        await stranger.get(path),
        await stranger.get(`${path}/user`),
        await stranger.delete(path),
      ]) {
        expect(answer.status).toBe(404);
        expect(answer.text).not.toMatch(/owner_u|Olive/);
      }
    }
    expect((await people.anon.get(path)).status).toBe(401);
    expect((await people.anon.delete(path)).status).toBe(401);
    expect((await people.owner.call.put(path, { type: 'password' })).status).toBe(405);
    await expectAlive(people.owner);
  });

  it('ends when its user is deleted, and makes nothing any more', async () => {
    expect((await people.admin.call.delete(`/users/${people.owner.id}`)).status).toBe(200);
    expectEnded(await people.owner.call.get('/users/whoami'));
    expectEnded(await people.owner.call.post('/apikeys', { name: 'x', userId: people.owner.id }));
    // No files yet: a test-only kind stands in.
    expectEnded(await people.owner.call.post('/dummythings', { name: 'x' }));
    expectEnded(await people.owner.call.get('/users'));
    expect(
      await service.sql(`SELECT name FROM apikeys WHERE name = 'x' UNION ALL SELECT name FROM dummythings`),
    ).toEqual([]);
  });

  it('has the roles that its user has at each request', async () => {
    // No cron jobs yet: topics are visible to admins and developers alone.
    expect((await people.other.call.get('/dummytopics')).status).toBe(403);
    const set = (admin: boolean) => people.admin.call.put(`/users/${people.other.id}`, { admin });
    await set(true);
    expect((await people.other.call.get('/dummytopics')).status).toBe(200);
    expect(
      itemsOf(await people.other.call.get('/users')).find(({ id }) => id === people.owner.id),
    ).toHaveProperty('email');
    await set(false);
    expect((await people.other.call.get('/dummytopics')).status).toBe(403);
    expect((await people.other.call.put(`/users/${people.owner.id}`, { realName: 'x' })).status).toBe(403);
    const list = await people.other.call.get('/users?itemsPerPage=100');
    for (const props of itemsOf(list).filter(({ id }) => id !== people.other.id)) {
      expect(Object.keys(props).filter((name) => ![...BASE_PROPS, 'avatarId'].includes(name))).toEqual([]);
    }
    expect(list.text).not.toMatch(/owner\.secret|Olive|admin\.secret/);
    expect(propsOf(await people.admin.call.get(`/users/${people.owner.id}`)).realName).toBe('Olive Owner');
  });

  it('has a cookie without Secure over plain HTTP, whatever a forged proxy header says', async () => {
    const forged = {
      headers: { 'x-forwarded-proto': 'https', forwarded: 'proto=https', 'x-forwarded-ssl': 'on' },
    };
    for (const call of [{}, forged]) {
      const cookie = cookieOf(await people.anon.post('/sessions', keyLogin(people.owner), call));
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
  ])('has a cookie with or without Secure: %s', async (_name, env, headers, secure) => {
    await withInstance(service, env, async ({ anon }) => {
      const answer = await anon.post('/sessions', keyLogin(people.owner), { headers });
      expect(Object.hasOwn(cookieOf(answer), 'secure')).toBe(secure);
      expect(cookieOf(answer)).not.toHaveProperty('domain');
      // Where it was set Secure it is cleared so too: else the browser keeps it.
      const gone = await new Caller(anon.base, 'nonsense').get('/users', { headers });
      expect(Object.hasOwn(cookieOf(gone), 'secure')).toBe(secure);
    });
  });

  it('cookies are for other sites where COOKIE_SAME_SITE says so, and those sites alone may use them', async () => {
    const env = { COOKIE_SAME_SITE: 'none', CORS_ORIGINS: 'https://app.test' };
    await withInstance(service, env, async ({ anon, url }) => {
      const app = { origin: 'https://app.test', 'sec-fetch-site': 'cross-site' };
      const answer = await anon.post('/sessions', passwordLogin('owner_u'), { headers: app });
      for (const name of ['appSessionId', 'appDeviceId'])
        expect(cookieOf(answer, name)).toMatchObject({ samesite: 'None', secure: '', httponly: '' });
      const call = new Caller(url, String(propsOf(answer).id));
      const path = `/users/${people.owner.id}`;
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

  it('has an id that cannot be guessed', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 25; round++) {
      const some = await Promise.all(
        Array.from({ length: 20 }, () => logIn(people.anon, keyLogin(people.owner))),
      );
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
    expect(ids.filter((id) => id.includes(people.owner.id.slice(1)))).toEqual([]);
    const sorted = [...ids].sort();
    expect(sorted.filter((id, i) => id.slice(0, 9) === sorted[i + 1]?.slice(0, 9))).toEqual([]);
  });

  it('is stored as a SHA-256 alone', async () => {
    const rows = await service.sql<{ row: string }>('SELECT s::text AS row FROM sessions s');
    const stored = rows.map(({ row }) => row).join('\n');
    expect(stored).toContain(createHash('sha256').update(people.owner.sessionId).digest('hex'));
    expect(stored).not.toContain(people.owner.sessionId.slice(1));
    expect(rows).toHaveLength(3);
  });

  it('is in no list, for anybody', async () => {
    for (const call of [people.anon, people.other.call, people.admin.call]) {
      for (const path of [
        '/sessions',
        '/sessions?search=a',
        '/sessions?itemsPerPage=100&page=1',
        '/sessions/options',
      ]) {
        const answer = await call.get(path);
        expect([path, [401, 404, 405].includes(answer.status)]).toEqual([path, true]);
        for (const person of [people.owner, people.other, people.admin])
          expect(answer.text).not.toContain(person.sessionId);
      }
      expect((await call.get(`/users/${people.other.id}/sessions`)).status).toBe(404);
    }
  });

  it('an invalid cookie is 401 and cleared everywhere, except on login and on /test', async () => {
    const flipped = people.owner.sessionId.replace(/[a-z]/, (c) => c.toUpperCase());
    const bad = [
      'x',
      `v${'A'.repeat(43)}`,
      flipped,
      people.owner.sessionId.slice(0, -1),
      `${people.owner.sessionId}0`,
      '%00',
      people.owner.id,
    ];
    for (const value of bad) {
      const call = new Caller(service.url, value);
      expectEnded(await call.get('/users'));
      expectEnded(await call.get(`/users/${people.other.id}`));
      expectEnded(await call.get('/users/options'));
      expectEnded(await call.get('/dummythings'));
      expectEnded(
        await call.post('/users', { username: 'never', email: 'never@mail.test', password: PASSWORD }),
      );
      expectEnded(await call.delete(`/users/${people.other.id}`));
      expectEnded(await call.delete('/sessions'));
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await call.send(method, '/test');
        expect(answer.status).toBe(200);
        expectNoCookie(answer);
      }
      expect((await call.get('/nope')).status).toBe(404);
      const login = await call.post('/sessions', keyLogin(people.owner));
      expect(login.status).toBeLessThan(300);
      expect(cookieOf(login).appSessionId).not.toBe('');
    }
    expect(await service.sql(`SELECT 1 FROM users WHERE username = 'never'`)).toEqual([]);
    await expectAlive(people.owner);
    await expectAlive(people.other);
  });

  it('an empty cookie, and cookies of others, are no session', async () => {
    for (const cookie of ['appSessionId=', 'other=1', 'APPSESSIONID=x', 'xappSessionId=x']) {
      const answer = await people.anon.get('/users', { headers: { cookie } });
      expect(answer.status).toBe(200);
      expectNoCookie(answer);
      expect(answer.text).not.toContain('owner.secret');
    }
  });
});

describe('several session cookies in one request', () => {
  const values = (): string[] => [
    people.owner.sessionId,
    people.other.sessionId,
    '',
    'x',
    `v${'A'.repeat(43)}`,
  ];
  /** Two cookies, as one header has them and as two have. */
  const both = (a: string, b: string): string[][] => [
    [`cookie: appSessionId=${a}; appSessionId=${b}`],
    [`cookie: other=1; appSessionId=${a}`, `cookie: appSessionId=${b}`],
  ];
  const all = () =>
    values().flatMap((a) =>
      values().flatMap((b) =>
        a === people.owner.sessionId || b === people.owner.sessionId ? both(a, b) : [],
      ),
    );

  it('are 401 in every order, and nothing is done', async () => {
    for (const headers of all()) {
      for (const line of ['GET /api/v1/users/whoami', 'GET /api/v1/dummythings', 'DELETE /api/v1/sessions']) {
        const answer = await sendRequest(service.url, line, headers);
        expect([headers, line, answer.statuses]).toEqual([headers, line, [401]]);
        expect(answer.text).not.toContain('owner_u');
        // Which of them is the service's own can't be told.
        expect(answer.text).not.toMatch(/set-cookie/i);
      }
    }
    await expectAlive(people.owner);
    await expectAlive(people.other);
  });

  it('make no device a known one, in whatever order', async () => {
    const env = { LOGIN_RATE_PER_NAME_IN_ALL: '3' };
    await withInstance(service, env, async ({ url, anon }) => {
      const known = cookieOf(
        await anon.post('/sessions', passwordLogin('owner_u')),
        'appDeviceId',
      ).appDeviceId;
      const other = cookieOf(
        await anon.post('/sessions', passwordLogin('other_u')),
        'appDeviceId',
      ).appDeviceId;
      for (let i = 0; i < 3; i++) await anon.post('/sessions', passwordLogin('owner_u', 'wrong wrong'));
      const logIn = async (...cookies: string[]) => {
        const headers = ['content-type: application/json', ...cookies.map((cookie) => `cookie: ${cookie}`)];
        const body = JSON.stringify(passwordLogin('owner_u'));
        return (await sendRequest(url, 'POST /api/v1/sessions', headers, body)).statuses;
      };
      const good = `appDeviceId=${known ?? ''}`;
      for (const second of ['appDeviceId=x', 'appDeviceId=', `appDeviceId=${other ?? ''}`, good]) {
        for (const cookies of [
          [`${good}; ${second}`],
          [`${second}; ${good}`],
          [good, second],
          [second, good],
        ])
          expect([cookies, await logIn(...cookies)]).toEqual([cookies, [429]]);
      }
      expect(await logIn(good)).toEqual([201]);
    });
  });

  it('don’t keep a login out, which ends the session of each', async () => {
    const [headers = []] = both(people.owner.sessionId, people.other.sessionId);
    const body = JSON.stringify(keyLogin(people.admin));
    const json = 'content-type: application/json';
    const answer = await sendRequest(service.url, 'POST /api/v1/sessions', [...headers, json], body);
    expect(answer.statuses).toEqual([201]);
    for (const person of [people.owner, people.other])
      expect((await person.call.get('/users/whoami')).status).toBe(401);
    await expectAlive(people.admin);
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
      await people.owner.call.put(`/users/${people.owner.id}`, { realName: 'csrf' }, call),
      await people.owner.call.post('/dummythings', { name: 'csrf' }, call),
      await people.owner.call.delete(`/apikeys/${people.owner.key.id}`, call),
      await people.owner.call.delete('/sessions', call),
      await people.owner.call.delete(`/sessions/${people.owner.sessionId}`, call),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 403, data: null } } });
      expectNoCookie(answer);
    }
    await expectAlive(people.owner);
    expect(propsOf(await people.owner.call.get(`/users/${people.owner.id}`)).realName).toBe('Olive Owner');
    expect((await people.owner.call.get(`/apikeys/${people.owner.key.id}`)).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
    // Reading is harmless, because the other site can't read the answer.
    expect((await people.owner.call.get('/users/whoami', call)).status).toBe(200);
  });

  it('requests of the own site, and of programs, pass', async () => {
    const origin = service.url;
    for (const headers of [
      {},
      { origin },
      { origin, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ] as Record<string, string>[]) {
      const answer = await people.owner.call.put(
        `/users/${people.owner.id}`,
        { realName: 'mine' },
        { headers },
      );
      expect([headers, answer.status]).toEqual([headers, 200]);
    }
  });

  it.each(EVIL)('login from another site is refused: %j', async (headers) => {
    for (const body of [keyLogin(people.other), passwordLogin('other_u')]) {
      for (const call of [people.anon, new Caller(service.url, 'invalid'), people.owner.call]) {
        const answer = await call.post('/sessions', body, { headers });
        expect(answer.status).toBe(403);
        expectNoCookie(answer);
      }
    }
    expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(3);
  });

  it('JSON in a text/plain body is refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      for (const headers of [
        { 'content-type': type, origin: 'https://evil.test' },
        { 'content-type': type },
      ] as Record<string, string>[]) {
        const answer = await people.owner.call.put(`/users/${people.owner.id}`, '{"realName":"csrf"}', {
          headers,
        });
        expect([403, 415]).toContain(answer.status);
      }
    }
    expect(propsOf(await people.owner.call.get(`/users/${people.owner.id}`)).realName).toBe('Olive Owner');
  });

  it('unusual content types never avoid the checks of a body', async () => {
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
      const headers = [`cookie: appSessionId=${people.owner.sessionId}`, `content-type: ${type}`];
      const body = '{"realName":{"a":1},"admin":true}';
      const answer = await sendRequest(service.url, `PUT /api/v1/users/${people.owner.id}`, headers, body);
      // Exactly application/json; the name of a media type has no case (RFC 9110 §8.3.1).
      const expected = type === 'APPLICATION/JSON' ? [422, 442] : [415, 415];
      expect([type, ...answer.statuses, (jsonOf(answer).error as { code: number }).code]).toEqual([
        type,
        ...expected,
      ]);
    }
    expect(propsOf(await people.admin.call.get(`/users/${people.owner.id}`))).toMatchObject({
      realName: 'Olive Owner',
      admin: false,
    });
  });

  it('CORS is closed by default', async () => {
    const origin = 'https://evil.test';
    const preflight = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type',
    };
    const answers = [
      await people.anon.send('OPTIONS', '/users', { headers: preflight }),
      await people.owner.call.get('/users/whoami', { headers: { origin } }),
      await people.owner.call.get('/users/nope', { headers: { origin } }),
      await people.owner.call.put(`/users/${people.owner.id}`, {}, { headers: { origin } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(500);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('CORS is open for the exact origins of a list alone', async () => {
    await withInstance(service, { CORS_ORIGINS: 'https://app.test,https://two.test:8443' }, async (other) => {
      const owner = new Caller(other.url, people.owner.sessionId);
      const from = (origin: string) => ({ headers: { origin, 'sec-fetch-site': 'cross-site' } });
      for (const origin of ['https://app.test', 'https://two.test:8443']) {
        const write = await owner.put(`/users/${people.owner.id}`, { realName: origin }, from(origin));
        expect(write.status).toBe(200);
        expect(write.headers.get('access-control-allow-origin')).toBe(origin);
        expect(write.headers.get('access-control-allow-credentials')).toBe('true');
        expect(write.headers.get('vary')).toMatch(/origin/i);
        expect(
          (await other.anon.post('/sessions', keyLogin(people.owner), from(origin))).status,
        ).toBeLessThan(300);
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
          await owner.put(`/users/${people.owner.id}`, { realName: 'csrf' }, from(origin)),
          await other.anon.post('/sessions', keyLogin(people.owner), from(origin)),
        ];
        for (const answer of answers) {
          expect([origin, answer.status]).toEqual([origin, 403]);
          expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
          expectNoCookie(answer);
        }
        const read = await owner.get('/users/whoami', from(origin));
        expect(read.headers.get('access-control-allow-origin')).toBeNull();
      }
      expect(propsOf(await people.owner.call.get('/users/whoami')).realName).toBe('https://two.test:8443');
    });
  });

  it('every answer has safe headers', async () => {
    const answers = [
      await people.owner.call.get('/users/whoami'),
      await people.anon.get('/users/nope'),
      await people.anon.get('/users?callback=alert'),
      await people.owner.call.get('/sessions'),
      await people.anon.post('/sessions', {}),
    ];
    for (const { headers, text } of answers) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toMatch(/no-store|private/);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(text.startsWith('{')).toBe(true);
      expect(text).not.toContain('alert(');
    }
    expect(warningsAbout(answers[2] as Answer)).toEqual(['callback']);
  });
});
