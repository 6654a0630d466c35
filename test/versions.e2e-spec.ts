import { propsOf, errorOf } from './support/answers.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FIRST, LATER, SECOND } from './kinds/versions.js';
import { PNG } from './support/png.js';
import type { Answer, Caller, Json } from './support/client.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/*
 * Two versions of the API in one service: the first as it was before there was a second, the second as its kinds say, on
 * the same records; and what a deprecated one tells.
 */

const TEMPLATE = 'versions';
const starting: TestService[] = [];
const start = async (options: Parameters<typeof startTestService>[0]): Promise<TestService> => {
  const service = await startTestService({ template: TEMPLATE, ...options });
  starting.push(service);
  return service;
};

let both: TestService;
let actors: Fixture;
/** Records of the owner, made in version 1. */
let shelf = '';
let book = '';

beforeAll(async () => {
  both = await start({ kinds: [...FIRST, ...SECOND] });
});

afterAll(async () => {
  for (const service of starting.reverse()) await service.stop();
});

const titles = ({ body }: Answer, prop: string): unknown[] =>
  (body.items as Json[]).map((item) => (item.props as Json)[prop] as unknown);

/** Calls of every sort, good and bad, and everything of their answers that does not depend on the moment. */
async function walk(service: TestService, { owner, other, admin, anon }: Fixture): Promise<string[]> {
  const lines: string[] = [];
  const secrets = [owner, other, admin].map(({ sessionId }) => sessionId);
  const masked = (text: string) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, 'SESSION'), text)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'DATE')
      .replaceAll(service.url, 'URL')
      .replace(/"(presignedUrl|privateKey)":"[^"]*"/g, '"$1":""');
  const ask = async (caller: Caller, method: string, path: string, body?: unknown, headers = {}) => {
    const url = path.startsWith('//') ? service.url + path.slice(1) : `${service.url}/api/v1${path}`;
    const answer = await fetch(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(caller.cookie === undefined ? {} : { cookie: `appSessionId=${caller.cookie}` }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const own = ['date', 'x-request-id', 'etag'];
    const kept = [...answer.headers].filter(([name]) => !own.includes(name) || path.startsWith('//'));
    const shown = kept.filter(([name]) => name !== 'date' && name !== 'x-request-id');
    const text = await answer.text();
    lines.push(masked(`${method} ${path} ${answer.status} ${JSON.stringify(shown)} ${text}`));
    return text.startsWith('{') ? (JSON.parse(text) as Json) : {};
  };
  const everybody = [anon, owner.call, other.call, admin.call];
  const made = await ask(owner.call, 'POST', '/dummyshelves?includeLinks=true', { label: 'Poems' });
  const id = String((made.props as Json).id);
  const volume = { shelfId: id, title: 'Odes', price: 12, note: 'torn' };
  const bookId = String(((await ask(owner.call, 'POST', '/dummybooks', volume)).props as Json).id);
  await ask(owner.call, 'POST', '/dummybooks', volume);
  await ask(owner.call, 'POST', '/dummybooks', {
    shelfId: id,
    headline: 'x',
    rating: 3,
    title: 'x'.repeat(61),
  });
  await ask(owner.call, 'PUT', `/dummybooks/${bookId}`, { price: 13, rating: 1, headline: 'y' });
  await ask(owner.call, 'PUT', `/dummybooks/${bookId}`, { price: 13 }, { 'if-match': '"other"' });
  await ask(owner.call, 'POST', '/apikeys', { name: 'beta' });
  await ask(owner.call, 'POST', '/objectfiles?includeMeta=true', {
    filename: 'a.png',
    contentType: 'image/png',
    sizeInBytes: 10,
  });
  const all = 'includeLinks=true&includeMeta=true&includeOptions=true';
  for (const caller of everybody) {
    for (const path of [
      'users',
      'apikeys',
      'objectfiles',
      'cronjobs',
      'cronruns',
      'dummyshelves',
      'dummybooks',
    ]) {
      await ask(caller, 'GET', `/${path}?${all}&sortBy=updatedAt&sortOrder=desc&itemsPerPage=3`);
      await ask(caller, 'GET', `/${path}?search=a&nonsense=1`);
      await ask(caller, 'GET', `/${path}?page=0`);
      await ask(caller, 'GET', `/${path}/options`);
      await ask(caller, 'GET', `/${path}/vnothing1`);
      for (const method of ['POST', 'DELETE', 'PUT', 'OPTIONS', 'PATCH'])
        await ask(caller, method, `/${path}`, /P[OU]/.test(method) ? {} : undefined);
    }
    await ask(caller, 'GET', `/dummybooks/${bookId}?${all}&includeRelated=shelf`);
    await ask(caller, 'GET', '/dummybooks?price=>1&_start_price=2&note=torn&sortBy=note');
    await ask(caller, 'GET', `/dummyshelves/${id}/books?search=torn&includeRelated=shelf`);
    await ask(caller, 'GET', `/dummyshelves/${id}/volumes`);
    await ask(caller, 'GET', `/dummybooks/${bookId}/shelf`);
    for (const path of ['/users/whoami', `/users/${owner.id}?${all}`, `/users/${owner.id}/avatar-image`])
      await ask(caller, 'GET', path);
    await ask(caller, 'GET', `/sessions/${owner.sessionId}?includeLinks=true`);
    await ask(caller, 'GET', `/sessions/${owner.sessionId}/user`);
    await ask(caller, 'PUT', `/dummybooks/${bookId}`, '{');
  }
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) await ask(anon, method, '/test?a=1&a=2');
  await ask(anon, 'POST', '/sessions', { login: 'nobody', password: 'wrong password' });
  await ask(anon, 'GET', '/sessions', undefined, { cookie: 'appSessionId=vbad' });
  for (const path of [
    '/nothing',
    '/dummyvolumes',
    `/dummyvolumes/${bookId}`,
    '/%zz',
    '/users/%E0%A4%A',
    '//api/v99/users',
  ])
    await ask(anon, 'GET', path);
  for (const path of ['//openapi.json', '//api/v1/openapi.json', '//docs', '//health/live', '//nothing'])
    await ask(anon, 'GET', path);
  await ask(owner.call, 'DELETE', `/dummybooks/${bookId}?includeMeta=true`);
  return lines;
}

it('leaves version 1 byte for byte as it was', async () => {
  const alone = await start({ kinds: FIRST });
  const before = await walk(alone, await resetFixture(alone));
  const after = await walk(both, await resetFixture(both));
  expect(before.length).toBeGreaterThan(300);
  expect(after).toEqual(before);
  expect((await alone.anon.get(`//api/${LATER}/users`)).status).toBe(404);
  expect((await alone.anon.get(`//api/${LATER}/openapi.json`)).status).toBe(404);
});

describe('version 2', () => {
  beforeAll(async () => {
    actors = await resetFixture(both);
    const { owner } = actors;
    shelf = String(propsOf(await owner.call.post('/dummyshelves', { label: 'Novels' })).id);
    const body = { shelfId: shelf, title: 'Moby Dick', price: 30, note: 'whale' };
    book = String(propsOf(await owner.call.post('/dummybooks', body)).id);
    await owner.call.post('/dummybooks', { ...body, title: 'Omoo', price: 20, note: 'islands' });
  });

  const v2 = (who: 'owner' | 'other' | 'admin' = 'owner') => actors[who].call.in(LATER);
  const anon2 = () => actors.anon.in(LATER);

  it('shows the same record under the same id, by its own declaration', async () => {
    const first = await actors.anon.get(`/dummybooks/${book}`);
    expect(Object.keys(propsOf(first))).toEqual(
      'id createdAt updatedAt shelfId title price note state'.split(' '),
    );
    const own = await v2().get(`/dummyvolumes/${book}`);
    expect(propsOf(own)).toEqual({
      ...Object.fromEntries(Object.entries(propsOf(first)).filter(([name]) => !/title|note/.test(name))),
      headline: 'Moby Dick',
      rating: null,
    });
    expect(Object.keys(propsOf(await anon2().get(`/dummyvolumes/${book}`)))).toEqual(
      'id createdAt updatedAt shelfId headline state rating'.split(' '),
    );
    expect((await anon2().get(`/dummybooks/${book}`)).status).toBe(404);
    expect((await actors.anon.get(`/dummyvolumes/${book}`)).status).toBe(404);
    // Shown in another way, yet the same version of the same record.
    const [tag, firstTag] = [own, first].map(({ headers }) => headers.get('etag') ?? '');
    expect(tag).not.toBe(firstTag);
    expect(tag?.split(';')[0]).toBe(firstTag?.split(';')[0]);
  });

  it('hides what it hides on every path', async () => {
    for (const caller of [v2(), v2('other'), v2('admin'), anon2()]) {
      const count = async (query: string) =>
        ((await caller.get(`/dummyvolumes${query}`)).body.paging as Json).totalItems as unknown;
      expect([await count(''), await count('?search=whale'), await count('?search=moby')]).toEqual([2, 0, 1]);
      // As if there was no such prop: an unknown parameter is ignored with a warning.
      const asked = await caller.get('/dummyvolumes?note=whale');
      expect([(asked.body.paging as Json).totalItems, (asked.body.warnings as Json[])[0]]).toEqual([
        2,
        expect.objectContaining({ code: 400, data: 'note' }),
      ]);
      for (const sort of ['note', 'title'])
        expect(errorOf(await caller.get(`/dummyvolumes?sortBy=${sort}`)).code).toBe(442);
      const { text } = await caller.get(
        '/dummyvolumes?includeRelated=shelf&includeOptions=true&includeMeta=true',
      );
      expect(text).not.toMatch(/whale|islands|"note"|"title"/);
      const list = await caller.get(`/dummyshelves/${shelf}/volumes?search=whale`);
      expect((list.body.paging as Json).totalItems).toBe(0);
    }
    // For owners alone: it compares their records, and nobody else’s.
    expect(titles(await v2().get('/dummyvolumes?price=>25'), 'headline')).toEqual(['Moby Dick']);
    expect(titles(await v2().get('/dummyvolumes?sortBy=price'), 'price')).toEqual([20, 30]);
    expect(titles(await v2('other').get('/dummyvolumes?price=>25'), 'headline')).toEqual([]);
    expect(titles(await v2('other').get('/dummyvolumes?_start_price=25'), 'headline')).toEqual([]);
    expect(titles(await v2('other').get('/dummyvolumes?sortBy=price'), 'price')).toEqual([
      undefined,
      undefined,
    ]);
    for (const query of ['price=30', '_end_price=99', 'sortBy=price'])
      expect((await anon2().get(`/dummyvolumes?${query}`)).status).toBe(403);
    // Version 1 does all that.
    expect(titles(await actors.anon.get('/dummybooks?price=30&note=whale&sortBy=note'), 'title')).toEqual([
      'Moby Dick',
    ]);
    expect(titles(await actors.anon.get('/dummybooks?search=whale'), 'note')).toEqual(['whale']);
  });

  it('takes bodies by its own declaration, and keeps what it does not know', async () => {
    const made = await v2().post('/dummyvolumes', {
      shelfId: shelf,
      headline: 'Typee',
      title: 'x',
      rating: 4,
      price: 5,
    });
    expect(made.status).toBe(201);
    expect(propsOf(made)).toMatchObject({ headline: 'Typee', rating: 4, price: 5, state: 'new' });
    expect(made.body.warnings).toEqual([expect.objectContaining({ code: 400, data: 'title' })]);
    const id = String(propsOf(made).id);
    expect(propsOf(await actors.anon.get(`/dummybooks/${id}`))).toMatchObject({ title: 'Typee', note: null });
    expect(
      (await v2().post('/dummyvolumes', { shelfId: shelf, headline: 'x'.repeat(21) })).body.error,
    ).toMatchObject({
      code: 442,
      data: 'headline',
    });
    expect(errorOf(await v2().post('/dummyvolumes', { shelfId: shelf }))).toMatchObject({
      code: 441,
      data: 'headline',
    });
    // A rule of the table, told by the name that the prop has here.
    expect(errorOf(await v2().post('/dummyvolumes', { shelfId: shelf, headline: 'Omoo' }))).toMatchObject({
      code: 409,
      data: 'headline',
    });
    const changed = await v2().put(`/dummyvolumes/${book}`, {
      headline: 'Moby-Dick',
      rating: 5,
      note: 'gone',
    });
    expect(propsOf(changed)).toMatchObject({ headline: 'Moby-Dick', rating: 5 });
    const first = await actors.owner.call.put(`/dummybooks/${book}`, { title: 'Moby Dick', rating: 1 });
    expect(propsOf(first)).toMatchObject({ title: 'Moby Dick', note: 'whale' });
    expect(propsOf(await v2().get(`/dummyvolumes/${book}`))).toMatchObject({
      headline: 'Moby Dick',
      rating: 5,
    });
    const same = await v2().put(`/dummyvolumes/${book}`, { headline: 'Moby Dick' });
    expect(propsOf(same).updatedAt).toBe(propsOf(first).updatedAt);
    expect((await v2('other').put(`/dummyvolumes/${book}`, { rating: 0 })).status).toBe(403);
    expect((await v2().delete(`/dummyvolumes/${id}`)).status).toBe(200);
    expect((await actors.anon.get(`/dummybooks/${id}`)).status).toBe(404);
    expect(titles(await v2().get('/dummyvolumes?_start_rating=5'), 'headline')).toEqual(['Moby Dick']);
  });

  it('leads to itself, and the first version to the first', async () => {
    const hrefs = (answer: Answer): string[] => {
      const found: string[] = [];
      JSON.stringify(answer.body, (key, value: unknown) => {
        if (key === 'href') found.push(String(value));
        return value;
      });
      return found;
    };
    const { owner, admin } = actors;
    const query = '?includeLinks=true&includeRelated=';
    const paths = [
      ['/users/' + owner.id + query + 'avatar', '/users/' + owner.id + query + 'avatar'],
      [`/dummybooks/${book}${query}shelf`, `/dummyvolumes/${book}${query}shelf`],
      [`/dummyshelves/${shelf}/books${query}shelf`, `/dummyshelves/${shelf}/volumes${query}shelf`],
      [`/dummybooks/${book}/shelf${query}user`, `/dummyvolumes/${book}/shelf${query}user`],
      [`/sessions/${owner.sessionId}${query}user`, `/sessions/${owner.sessionId}${query}user`],
      [`/apikeys${query}user`, `/apikeys${query}user`],
    ] as const;
    for (const [first, second] of paths) {
      const one = hrefs(await owner.call.get(first));
      const two = hrefs(await v2().get(second));
      expect([first, one.length > 2, one.every((href) => href.startsWith('/api/v1/'))]).toEqual([
        first,
        true,
        true,
      ]);
      expect([second, two.length > 2, two.every((href) => href.startsWith(`/api/${LATER}/`))]).toEqual([
        second,
        true,
        true,
      ]);
    }
    const job = { schedule: '@daily', handler: 'Test', enabled: false };
    const made = await admin.call.in(LATER).post('/cronjobs?includeLinks=true', job);
    expect((made.body.links as Json).run).toMatchObject({
      href: expect.stringContaining(`/api/${LATER}/cronjobs`),
    });
    const shown = await v2().get(`/dummyshelves/${shelf}?includeLinks=true`);
    expect((shown.body.links as Json).volumes).toMatchObject({
      href: `/api/${LATER}/dummyshelves/${shelf}/volumes`,
    });
    expect(shown.body.links).not.toHaveProperty('books');
    expect((await v2().get(`/dummyshelves/${shelf}/books`)).status).toBe(404);
  });

  it('has the sessions, users and files of the first', async () => {
    const { owner } = actors;
    const login = await anon2().post('/sessions', { apiKey: owner.key.id, privateKey: owner.key.privateKey });
    const token = String(propsOf(login).id);
    expect(login.headers.get('set-cookie')).toMatch(/^appSessionId=v\w+; .*Path=\/;/);
    const inFirst = await actors.anon.get('/users/whoami', { headers: { cookie: `appSessionId=${token}` } });
    expect(propsOf(inFirst).id).toBe(owner.id);
    expect((await anon2().delete('/sessions', { headers: { cookie: `appSessionId=${token}` } })).status).toBe(
      200,
    );
    expect(
      (await actors.anon.get('/users/whoami', { headers: { cookie: `appSessionId=${token}` } })).status,
    ).toBe(401);
    // The hooks of version 1 are at work: a password is hashed, an upload is granted, the last administrator stays.
    const password = 'correct horse battery';
    const signUp = await anon2().post('/users', { username: 'second', email: 'second@mail.test', password });
    expect(signUp.status).toBe(201);
    expect((await actors.anon.post('/sessions', { login: 'second', password })).status).toBe(201);
    const file = { filename: 'a.png', contentType: 'image/png', sizeInBytes: PNG.length };
    const upload = await v2().post('/objectfiles', file);
    const meta = upload.body.meta as Json;
    const headers = { 'content-type': 'image/png' };
    await fetch(String(meta.presignedUrl), { method: 'PUT', headers, body: new Uint8Array(PNG) });
    const objectFileId = String(propsOf(upload).id);
    const imported = await v2().put(`/users/${owner.id}/import-avatar?includeLinks=true`, { objectFileId });
    expect(propsOf(imported).avatarId).toBe(objectFileId);
    const picture = String(((imported.body.links as Json).avatarImage as Json).href);
    expect(picture.startsWith(`/api/${LATER}/users/`)).toBe(true);
    for (const path of [picture, picture.replace(`/${LATER}/`, '/v1/')])
      expect((await fetch(both.url + path)).headers.get('content-type')).toBe('image/png');
    expect((await v2('admin').put(`/users/${actors.admin.id}`, { admin: false })).status).toBe(409);
    const notYet = await v2().put(`/users/${owner.id}/import-avatar`, { objectFileId: actors.other.id });
    expect(errorOf(notYet)).toMatchObject({ code: 442, data: 'objectFileId' });
  });

  it('may lack a route, and answers 405 by its own', async () => {
    // Without the route it is the id of a user that there is none of.
    expect((await v2().get('/users/whoami')).status).toBe(404);
    expect((await actors.owner.call.get('/users/whoami')).status).toBe(200);
    const options = await anon2().send('OPTIONS', `/dummyshelves/${shelf}/volumes`);
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await anon2().send('PATCH', `/dummyshelves/${shelf}/volumes`)).status).toBe(405);
    expect((await anon2().send('PATCH', `/dummyshelves/${shelf}/books`)).status).toBe(404);
    expect((await actors.anon.send('PATCH', `/dummyshelves/${shelf}/books`)).status).toBe(405);
  });

  it('is described by itself', async () => {
    const { body: one } = await actors.anon.get('//api/v1/openapi.json');
    const { body: two, text } = await actors.anon.get(`//api/${LATER}/openapi.json`);
    expect((await actors.anon.get('//openapi.json')).body).toEqual(one);
    const info = (document: Json) => (document.info as Json).version as string;
    expect([info(one), info(two)]).toEqual(['v1', LATER]);
    const paths = Object.keys(two.paths as Json);
    expect(paths).toEqual(
      expect.arrayContaining([
        `/api/${LATER}/dummyvolumes`,
        `/api/${LATER}/dummyshelves/{id}/volumes`,
        '/health/live',
      ]),
    );
    expect(paths.filter((path) => /v1|whoami|dummybooks/.test(path))).toEqual([]);
    expect(JSON.stringify(one)).not.toMatch(new RegExp(`headline|rating|/api/${LATER}|volumes`));
    const book = ((two.components as Json).schemas as Json).DummyBook as Json;
    expect(Object.keys(book.properties as Json)).toContain('headline');
    expect(JSON.stringify(book)).not.toMatch(/note|title/);
    expect(text).not.toContain('DummyBook.note');
  });
});

describe('a deprecated version', () => {
  const LINK = 'https://example.org/v1;why?a=b';
  let service: TestService;

  beforeAll(async () => {
    service = await start({
      kinds: [...FIRST, ...SECOND],
      databaseUrl: both.databaseUrl,
      env: {
        API_VERSION: LATER,
        API_DEPRECATED: `v1; since=2026-01-01; sunset=2027-01-01T12:00:00Z; link=https://example.org/v1; successor=${LATER}`,
        CORS_ORIGINS: 'https://app.example.org',
      },
    });
  });

  const toldBy = (headers: Headers) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));

  it('says so on every answer under its path, and no other one does', async () => {
    const told = [
      '@1767225600',
      'Fri, 01 Jan 2027 12:00:00 GMT',
      `<https://example.org/v1>; rel="deprecation", </api/${LATER}/openapi.json>; rel="successor-version"`,
    ];
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(service.url + path, init);
      await answer.arrayBuffer();
      return [answer.status, toldBy(answer.headers)];
    };
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    expect(await ask('/api/v1/users')).toEqual([200, told]);
    expect(await ask('/api/v1/users', { method: 'HEAD' })).toEqual([200, told]);
    expect(await ask('/%61pi/v1/users')).toEqual([200, told]);
    expect(await ask(`/api/v1/users/${actors.owner.id}/avatar-image`)).toEqual([200, told]);
    expect(await ask('/api/v1/users/whoami')).toEqual([401, told]);
    expect(await ask('/api/v1/openapi.json')).toEqual([200, told]);
    expect(await ask('/api/v1/nothing')).toEqual([404, told]);
    expect(await ask('/%61pi/v1/nothing')).toEqual([404, told]);
    expect(await ask('/api/v1/%zz')).toEqual([400, told]);
    expect(await ask('/api/v1/users', { method: 'PATCH' })).toEqual([405, told]);
    expect(await ask('/api/v1/users', { method: 'OPTIONS' })).toEqual([204, told]);
    const preflight = { origin: 'https://app.example.org', 'access-control-request-method': 'PUT' };
    expect(await ask('/api/v1/users', { method: 'OPTIONS', headers: preflight })).toEqual([204, told]);
    expect(await ask('/api/v1/users', { ...json, body: '{' })).toEqual([400, told]);
    expect(await ask('/api/v1/users', { method: 'POST', body: 'x' })).toEqual([415, told]);
    expect(await ask('/api/v1/test', { ...json, body: '{}' })).toEqual([200, told]);
    const none = [null, null, null];
    expect(await ask(`/api/${LATER}/users`)).toEqual([200, none]);
    expect(await ask(`/api/${LATER}/nothing`)).toEqual([404, none]);
    expect(await ask('/api/v11/users')).toEqual([404, none]);
    for (const path of ['/health/live', '/openapi.json', '/docs', `/api/${LATER}/openapi.json`])
      expect([path, ...(await ask(path))]).toEqual([path, 200, none]);
    expect(toldBy((await both.anon.get('/users')).headers)).toEqual(none);
  });

  it('is marked in its description; the default one is that of API_VERSION', async () => {
    const operation = (document: Json, path: string) => ((document.paths as Json)[path] as Json).get as Json;
    const { body } = await service.anon.get('//openapi.json');
    expect((body.info as Json).version).toBe(LATER);
    expect(operation(body, `/api/${LATER}/users`).deprecated).toBeUndefined();
    const first = (await service.anon.get('//api/v1/openapi.json')).body;
    expect(operation(first, '/api/v1/users').deprecated).toBe(true);
    expect(operation(first, '/health/live').deprecated).toBeUndefined();
  });

  it('must be one that there is', async () => {
    const refusal = async (env: Record<string, string>) => {
      const failed = startTestService({
        template: TEMPLATE,
        kinds: FIRST,
        databaseUrl: both.databaseUrl,
        env,
      });
      return failed.then(
        async (running) => running.stop().then(() => 'started'),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    };
    const since = 'since=2026-01-01';
    expect(await refusal({ API_VERSION: LATER })).toMatch(
      new RegExp(`API_VERSION names ${LATER}, .* there (is|are) v1`),
    );
    expect(await refusal({ API_DEPRECATED: `v99; ${since}` })).toMatch(
      /API_DEPRECATED names v99, .* there (is|are) v1/,
    );
    expect(await refusal({ API_DEPRECATED: `v1; ${since}; link=${LINK}` })).toMatch(
      /API_DEPRECATED must say no more of v1 than since/,
    );
  });
});
