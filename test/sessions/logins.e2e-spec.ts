import { describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { Ids } from '../../src/record/ids/ids.js';
import { type Answer, Caller } from '../support/client.js';
import { addPerson, PASSWORD } from '../support/fixture.js';
import { errorOf, propsOf, warningsAbout } from '../support/answers.js';
import {
  passwordLogin,
  expectNoCookie,
  logIn,
  keyLogin,
  DAY_MS,
  cookieOf,
  withInstance,
  expectAlive,
  expectEnded,
} from './session-requests.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* How users log in, by key or by password, and how they change what they log in with. */

useKindsService();

const comparable = ({ status, body, headers }: Answer) => {
  const changing = new Set(['date', 'content-length', 'x-request-id']);
  return { status, body, headers: [...headers].filter(([name]) => !changing.has(name)) };
};

describe('login', () => {
  it('an unknown key, a wrong secret, an unknown name and a wrong password get the same answer', async () => {
    const privateKey = `pk_${'0'.repeat(43)}`;
    const ids = service.app.get(Ids);
    const answers = [
      await people.anon.post('/sessions', { apiKey: ids.encode('APIKey', '999999'), privateKey }),
      await people.anon.post('/sessions', { apiKey: people.owner.key.id, privateKey }),
      await people.anon.post('/sessions', { apiKey: 'no id at all', privateKey }),
      await people.anon.post('/sessions', {
        apiKey: people.owner.id,
        privateKey: people.owner.key.privateKey,
      }),
      await people.anon.post('/sessions', passwordLogin('owner_u', 'wrong wrong')),
      await people.anon.post('/sessions', passwordLogin('nobody_u', 'wrong wrong')),
      await people.anon.post('/sessions', passwordLogin('nobody@mail.test')),
      await people.anon.post('/sessions', passwordLogin('owner_u', 'x')),
    ];
    expect(answers[0]).toMatchObject({ status: 401, body: { error: { code: 454, data: null } } });
    for (const answer of answers) {
      expectNoCookie(answer);
      expect(comparable(answer)).toEqual(comparable(answers[0] as Answer));
    }
  });

  it('an unknown name takes as long as a wrong password', async () => {
    // Not the fixture's cheap hashes: a password that the service itself has hashed.
    const user = { username: 'timed', email: 'timed@mail.test', password: PASSWORD };
    expect((await people.anon.post('/users', user)).status).toBeLessThan(300);
    const time = async (login: string) => {
      const start = performance.now();
      expect((await people.anon.post('/sessions', passwordLogin(login, 'wrong wrong'))).status).toBe(401);
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

  it('the secret must match exactly', async () => {
    const { id, privateKey } = people.owner.key;
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
      const answer = await people.anon.post('/sessions', { apiKey: id, privateKey: secret });
      expect([secret, answer.status < 500, answer.status >= 400]).toEqual([secret, true, true]);
      expectNoCookie(answer);
      expect(answer.text).not.toContain(privateKey);
    }
    await logIn(people.anon, keyLogin(people.owner));
  });

  it('a password must match exactly, beyond NUL and 72 bytes too', async () => {
    const password = `${'p'.repeat(80)}\u00e9!`;
    const user = { username: 'long_pw', email: 'long@mail.test', password };
    expect((await people.anon.post('/users', user)).status).toBeLessThan(300);
    const wrong = [
      password.slice(0, 72),
      `${'p'.repeat(80)}\u00e9?`,
      password.toUpperCase(),
      ` ${password}`,
      `${password}\0`,
    ];
    for (const guess of wrong) {
      const answer = await people.anon.post('/sessions', passwordLogin('long_pw', guess));
      expect([guess, [400, 401].includes(answer.status)]).toEqual([guess, true]);
      expectNoCookie(answer);
    }
    await logIn(people.anon, passwordLogin('long_pw', password));
  });

  it('a password is the same in every Unicode form, also one that was stored before they were', async () => {
    const [composed, decomposed] = ['p\u00e4ssw\u00f6rter \u212b', 'pa\u0308sswo\u0308rter A\u030a'];
    const wide = '\uff50\u00e4ssw\u00f6rter \u00c5';
    for (const [i, password] of [composed, decomposed, wide].entries()) {
      const user = { username: `form${i}`, email: `form${i}@mail.test`, password };
      expect((await people.anon.post('/users', user)).status).toBe(201);
      for (const typed of [composed, decomposed, wide])
        await logIn(people.anon, passwordLogin(`form${i}`, typed));
      const other = await people.anon.post(
        '/sessions',
        passwordLogin(`form${i}`, composed.replace('\u00e4', 'a')),
      );
      expect(other.status).toBe(401);
    }
    const legacy = await hash(decomposed, { memoryCost: 8, timeCost: 1 });
    await service.sql(`UPDATE users SET "passwordHash" = $1 WHERE username = 'form0'`, [legacy]);
    await logIn(people.anon, passwordLogin('form0', decomposed));
  });

  it('a deleted key or user cannot log in', async () => {
    const made = await people.owner.call.post('/apikeys', { name: 'K2' });
    const k2 = {
      apiKey: propsOf(made).id,
      privateKey: (made.body.meta as { privateKey: string }).privateKey,
    };
    await logIn(people.anon, k2);
    expect((await people.owner.call.delete(`/apikeys/${people.owner.key.id}`)).status).toBe(200);
    const gone = await people.anon.post('/sessions', keyLogin(people.owner));
    expect((await people.admin.call.delete(`/users/${people.owner.id}`)).status).toBe(200);
    const orphan = await people.anon.post('/sessions', k2);
    const named = await people.anon.post('/sessions', passwordLogin('owner_u'));
    for (const answer of [gone, orphan, named]) {
      expect([answer.status, errorOf(answer).code]).toEqual([401, 454]);
      expectNoCookie(answer);
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
      expect((await people.admin.call.put(`/apikeys/${people.owner.key.id}`, { expiresAt })).status).toBe(
        200,
      );
      return people.anon.post('/sessions', keyLogin(people.owner));
    };
    expect((await at(DAY_MS)).status).toBeLessThan(300);
    const late = await at(-1000);
    expect([late.status, errorOf(late).code]).toEqual([401, 454]);
    expectNoCookie(late);
  });

  it('the answer carries no secrets', async () => {
    const answer = await people.anon.post(
      '/sessions?includeMeta=true&includeLinks=true&includeRelated=user',
      keyLogin(people.owner),
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
    expect(propsOf(answer)).toMatchObject({ type: 'apiKey', userId: people.owner.id });
    expect(answer.text).not.toMatch(/privateKey|[Hh]ash|argon|passwordHash/);
    expect(answer.text).not.toContain(people.owner.key.privateKey);
    const seen = answer.body.related as { user: { props: object } };
    // What the owner may view of itself, and nothing else.
    expect(seen.user.props).toEqual(propsOf(await people.owner.call.get('/users/whoami')));
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
      const { answer, call } = await logIn(people.anon, { ...passwordLogin(login), sessionType: 'whatever' });
      expect(propsOf(answer)).toMatchObject({ type: 'password', userId: people.owner.id });
      expect(warningsAbout(answer)).toEqual([]);
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
    const answer = await people.anon.post('/sessions', body);
    expect(answer).toMatchObject({ status: 422, body: { error: { code, data } } });
    expectNoCookie(answer);
  });

  it('warns about unknown props and ignores them', async () => {
    const { answer } = await logIn(people.anon, {
      ...keyLogin(people.owner),
      userId: people.admin.id,
      admin: true,
    });
    expect(warningsAbout(answer).sort()).toEqual(['admin', 'userId']);
    expect(propsOf(answer).userId).toBe(people.owner.id);
  });

  it('has at most fifty warnings, of bounded length, whatever is sent', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`${i}${'x'.repeat(i < 3 ? 100_000 : 20)}`, i]),
    );
    const { answer } = await logIn(people.anon, { ...unknown, ...keyLogin(people.owner) });
    expect(answer.status).toBe(201);
    expect(warningsAbout(answer)).toHaveLength(50);
    expect(answer.text.length).toBeLessThan(50_000);
    const created = await people.owner.call.post('/dummythings', { name: 'n', ...unknown });
    expect([created.status, warningsAbout(created).length]).toEqual([201, 50]);
    const listed = await people.owner.call.get(
      `/dummythings?${Array.from({ length: 90 }, (_, i) => `p${i}=1`).join('&')}`,
    );
    expect([listed.status, warningsAbout(listed).length]).toEqual([200, 50]);
    for (const { text } of [created, listed]) expect(text.length).toBeLessThan(50_000);
  });

  it('moves lastUsedAt of the key and nothing else', async () => {
    const before = propsOf(await people.owner.call.get(`/apikeys/${people.owner.key.id}`));
    expect(before.lastUsedAt).toBe(null);
    await logIn(people.anon, keyLogin(people.owner));
    const first = propsOf(await people.owner.call.get(`/apikeys/${people.owner.key.id}`));
    await logIn(people.anon, keyLogin(people.owner));
    const after = propsOf(await people.owner.call.get(`/apikeys/${people.owner.key.id}`));
    expect(Date.parse(String(first.lastUsedAt))).toBeGreaterThan(Date.now() - 60_000);
    expect(String(after.lastUsedAt) > String(first.lastUsedAt)).toBe(true);
    expect(after).toEqual({ ...before, lastUsedAt: after.lastUsedAt });
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
    const path = `/users/${people.owner.id}`;
    const before = await service.sql('SELECT * FROM users WHERE username = $1', ['owner_u']);
    const calls = [people.owner.call, (await logIn(people.anon, passwordLogin('owner_u'))).call];
    for (const call of calls) {
      expect(await call.put(path, change)).toMatchObject({
        status: 422,
        body: { error: { code: 441, data: 'currentPassword' } },
      });
      for (const currentPassword of ['wrong wrong', people.owner.key.privateKey, 'x']) {
        const wrong = await call.put(path, { ...change, currentPassword });
        expect(wrong).toMatchObject({ status: 403, body: { error: { code: 403, data: 'currentPassword' } } });
        expect(wrong.text).not.toContain(currentPassword === 'x' ? PASSWORD : currentPassword);
      }
    }
    expect(await service.sql('SELECT * FROM users WHERE username = $1', ['owner_u'])).toEqual(before);
    const changed = await people.owner.call.put(path, { ...change, currentPassword: PASSWORD });
    expect(changed.status).toBe(200);
    expect(changed.text).not.toMatch(/horse battery|currentPassword/);
    const what = `change ${Object.keys(change)[0] ?? ''}`;
    expect(audits(changed)).toEqual([['credentials', what, people.owner.id, people.owner.id, 'success']]);
  });

  it('an unchanged value needs no password, and checks none', async () => {
    const path = `/users/${people.owner.id}`;
    const { username, email } = people.owner;
    expect((await people.owner.call.put(path, { username, email, realName: 'x' })).status).toBe(200);
    // Nothing to confirm: whether a password is right is not told.
    expect((await people.owner.call.put(path, { currentPassword: 'wrong wrong' })).status).toBe(200);
    const made = await people.anon.post('/users', {
      username: 'fresh',
      email: 'fresh@mail.test',
      password: PASSWORD,
      currentPassword: PASSWORD,
    });
    expect([made.status, warningsAbout(made)]).toEqual([201, ['currentPassword']]);
  });

  it('administrators change the login of others, and their own like everybody', async () => {
    for (const change of CHANGES) {
      const answer = await people.admin.call.put(`/users/${people.owner.id}`, change);
      expect(answer.status).toBe(200);
      expect(audits(answer)).toMatchObject([
        ['credentials', expect.any(String), people.admin.id, people.owner.id, 'success'],
      ]);
      const own = {
        ...change,
        ...(change.email && { email: 'adm@mail.test' }),
        ...(change.username && { username: 'adm' }),
      };
      const path = `/users/${people.admin.id}`;
      expect((await people.admin.call.put(path, own)).status).toBe(422);
      expect((await people.admin.call.put(path, { ...own, currentPassword: 'wrong wrong' })).status).toBe(
        403,
      );
    }
  });

  it('CREDENTIAL_RATE_PER_USER limits the changes, and the guesses, of one user', async () => {
    await withInstance(service, { CREDENTIAL_RATE_PER_USER: '3' }, async ({ url }) => {
      for (const person of [people.owner, people.admin]) {
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
      const others = new Caller(url, people.other.sessionId);
      const body = { username: 'other_2', currentPassword: PASSWORD };
      expect((await others.put(`/users/${people.other.id}`, body)).status).toBe(200);
      const admin = new Caller(url, people.admin.sessionId);
      for (let i = 0; i < 5; i++)
        expect((await admin.put(`/users/${people.other.id}`, { username: `by_admin${i}` })).status).toBe(200);
    });
  });

  it('a key that goes to another user ends, with its sessions, for good', async () => {
    const path = `/apikeys/${people.owner.key.id}`;
    const mine = await people.owner.call.put(path, { userId: people.other.id });
    expect(mine.status).toBe(403);
    await expectAlive(people.owner);
    const moved = await people.admin.call.put(path, { userId: people.other.id });
    expect(moved.status).toBe(200);
    expect(audits(moved)).toEqual([['apikey', 'move', people.admin.id, people.owner.key.id, 'success']]);
    expect(Date.parse(String(propsOf(moved).expiresAt))).toBeLessThanOrEqual(Date.now());
    expectEnded(await people.owner.call.get('/users/whoami'));
    expect((await people.anon.post('/sessions', keyLogin(people.owner))).status).toBe(401);
    // Not even when it is said to go on.
    expect((await people.other.call.put(path, { expiresAt: null })).status).toBe(200);
    expect((await people.anon.post('/sessions', keyLogin(people.owner))).status).toBe(401);
    expect(await service.sql('SELECT 1 FROM sessions')).toHaveLength(2);
  });

  it('keys, deletions and logouts leave a line in the audit', async () => {
    const made = await people.owner.call.post('/apikeys', { name: 'audited' });
    const id = String(propsOf(made).id);
    expect(audits(made)).toEqual([['apikey', 'create', people.owner.id, id, 'success']]);
    expect(audits(await people.owner.call.put(`/apikeys/${id}`, { name: 'renamed' }))).toEqual([]);
    const gone = await people.owner.call.delete(`/apikeys/${id}`);
    expect(audits(gone)).toEqual([['apikey', 'delete', people.owner.id, id, 'success']]);
    const out = await people.owner.call.delete('/sessions');
    expect(audits(out)).toEqual([['logout', 'end', people.owner.id, people.owner.id, 'success']]);
    const removed = await people.admin.call.delete(`/users/${people.owner.id}`);
    expect(audits(removed)).toEqual([['user', 'delete', people.admin.id, people.owner.id, 'success']]);
    expect(audits(await people.other.call.put(`/users/${people.other.id}`, { realName: 'x' }))).toEqual([]);
  });

  it('an address that is only written in another case stays verified, and so does what an administrator sets', async () => {
    const path = `/users/${people.owner.id}`;
    const verified = async () => propsOf(await people.owner.call.get(path)).verifiedEmail;
    await people.admin.call.put(path, { verifiedEmail: true });
    const email = people.owner.email.toUpperCase();
    const shouted = await people.owner.call.put(path, { email, currentPassword: PASSWORD });
    expect(propsOf(shouted)).toMatchObject({ email, verifiedEmail: true });
    for (const before of [true, false]) {
      await people.admin.call.put(path, { verifiedEmail: before });
      const both = { email: `set${String(before)}@mail.test`, verifiedEmail: true };
      expect(propsOf(await people.admin.call.put(path, both))).toMatchObject(both);
    }
    // What only the owner says of itself does not count.
    const own = { email: 'own@mail.test', verifiedEmail: true, currentPassword: PASSWORD };
    expect(propsOf(await people.owner.call.put(path, own))).toMatchObject({ verifiedEmail: false });
    await people.admin.call.put(path, { verifiedEmail: true });
    await people.admin.call.put(path, { email: 'by.admin@mail.test' });
    expect(await verified()).toBe(false);
  });

  it('a caller who gives up the right to see something does not see it in the answer', async () => {
    const [file] = await service.sql<{ id: string }>(
      `INSERT INTO objectfiles (filename, "contentType", "sizeInBytes", extension, status, "userId", "fileKey")
       SELECT 'of-owner.png', 'image/png', 1, 'png', 'ready', id, 'f/1' FROM users WHERE username = 'owner_u' RETURNING id`,
    );
    const path = `/users/${people.admin.id}`;
    await service.sql(`UPDATE users SET "avatarId" = $1 WHERE username = 'admin_u'`, [file?.id]);
    await addPerson(service, 'admin_2', 'admin2@mail.test', 'Ada Two', { admin: true });
    const before = await people.admin.call.put(`${path}?includeRelated=avatar`, { realName: 'Ada' });
    expect(before.text).toContain('of-owner.png');
    const after = await people.admin.call.put(`${path}?includeRelated=avatar`, { admin: false });
    expect(after).toMatchObject({ status: 200, body: { props: { admin: false } } });
    expect(after.text).not.toContain('of-owner.png');
  });
});

describe('what users change of themselves', () => {
  it('sign-up never sets a role, and neither does the owner', async () => {
    const roles = { admin: true, developer: true, verifiedEmail: true };
    const made = await people.anon.post('/users', {
      username: 'new1',
      email: 'new1@mail.test',
      password: PASSWORD,
      ...roles,
    });
    expect(made.status).toBeLessThan(300);
    expect(warningsAbout(made).sort()).toEqual(['admin', 'developer', 'verifiedEmail']);
    const { call } = await logIn(people.anon, passwordLogin('new1'));
    const own = { admin: false, developer: false, verifiedEmail: false };
    expect(propsOf(await call.get('/users/whoami'))).toMatchObject(own);
    const tried = await call.put(`/users/${String(propsOf(made).id)}`, { ...roles, realName: 'New' });
    expect(tried).toMatchObject({ status: 200, body: { props: { ...own, realName: 'New' } } });
    expect(warningsAbout(tried).sort()).toEqual(['admin', 'developer', 'verifiedEmail']);
    expect((await call.get('/dummytopics')).status).toBe(403);
  });

  it('changing the e-mail resets verifiedEmail; writing the same one does not', async () => {
    const path = `/users/${people.owner.id}`;
    const verify = () => people.admin.call.put(path, { verifiedEmail: true });
    expect(propsOf(await verify())).toMatchObject({ verifiedEmail: true });
    expect(propsOf(await people.owner.call.put(path, { realName: 'Olive' }))).toMatchObject({
      verifiedEmail: true,
    });
    expect(propsOf(await people.owner.call.put(path, { email: people.owner.email }))).toMatchObject({
      verifiedEmail: true,
    });
    const moved = await people.owner.call.put(path, { email: 'olive@mail.test', currentPassword: PASSWORD });
    expect(propsOf(moved)).toMatchObject({ email: 'olive@mail.test', verifiedEmail: false });
    // A failed change resets nothing.
    await verify();
    expect(
      (await people.owner.call.put(path, { email: people.other.email, currentPassword: PASSWORD })).status,
    ).toBe(409);
    expect(propsOf(await people.owner.call.get(path))).toMatchObject({
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
