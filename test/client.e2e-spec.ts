import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transformFile } from '@swc/core';
import { Kindred, KindredError } from '../client/src/kindred.js';
import { ApiVersions } from '../src/record/api-versions.js';
import { registeredVersions } from '../src/record/schema/kind.js';
import { PNG } from './support/png.js';
import type { Json } from './support/client.js';
import { type Fixture, PASSWORD, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

const run = promisify(execFile);
const blob = (bytes: Uint8Array<ArrayBuffer> = new Uint8Array(PNG)) =>
  new Blob([bytes], { type: 'image/png' });

let service: TestService;
let people: Fixture;
let kindred: Kindred;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
  kindred = new Kindred(service.url);
});

/** The KindredError that a call ends in. */
async function failure(work: Promise<unknown>): Promise<KindredError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof KindredError) return error;
  throw new Error(`Not a KindredError: ${String(error)}`);
}

describe('docs/openapi.json', () => {
  it('is what the service says (npm run openapi writes it)', async () => {
    const committed = async (name: string) => JSON.parse(await readFile(`docs/${name}`, 'utf8')) as Json;
    expect((await service.anon.get('//openapi.json')).body).toEqual(await committed('openapi.json'));
    for (const version of service.app.get(ApiVersions).names.slice(1)) {
      const { body } = await service.anon.get(`//api/${version}/openapi.json`);
      expect(body).toEqual(await committed(`openapi.${version}.json`));
    }
  });
});

describe('the client', () => {
  it('logs in by password and by API key, and out', async () => {
    const { owner } = people;
    const session = await kindred.login({ login: owner.username, password: PASSWORD });
    expect(session.props).toMatchObject({ type: 'password', userId: owner.id });
    expect((await kindred.get('/users/whoami')).props.email).toBe(owner.email);
    // Another object is another session: nobody's.
    expect((await failure(new Kindred(service.url).get('/users/whoami'))).code).toBe(401);
    await kindred.logout();
    expect((await failure(kindred.get('/users/whoami'))).code).toBe(401);
    await kindred.login({ apiKey: owner.key.id, privateKey: owner.key.privateKey });
    expect((await kindred.get('/users/whoami')).props.id).toBe(owner.id);
  });

  it('forgets a session that is over, and goes on as a stranger', async () => {
    const { owner } = people;
    await kindred.login({ login: owner.username, password: PASSWORD });
    await service.sql('TRUNCATE sessions');
    expect((await failure(kindred.get('/users'))).code).toBe(401);
    const user = await kindred.get('/users/{id}', { params: { path: { id: owner.id } } });
    expect(user.props).not.toHaveProperty('email');
  });

  it('creates, reads, changes and deletes', async () => {
    await kindred.login({ login: people.owner.username, password: PASSWORD });
    const key = await kindred.post('/apikeys', {
      body: { name: 'laptop' },
      params: { query: { includeLinks: true } },
    });
    expect([key.props.name, key.meta.privateKey.slice(0, 3), key.links?.self.methods.length]).toEqual([
      'laptop',
      'pk_',
      3,
    ]);
    const path = { id: key.props.id };
    const changed = await kindred.put('/apikeys/{id}', { params: { path }, body: { name: 'desk' } });
    expect(changed.props.name).toBe('desk');
    const query = { includeRelated: ['user' as const], includeMeta: true };
    const read = await kindred.get('/apikeys/{id}', { params: { path, query } });
    expect(read.related?.user?.props.username).toBe('owner_u');
    expect(read.meta).toMatchObject({ kind: 'APIKey', isOwner: true });
    expect((await kindred.delete('/apikeys/{id}', { params: { path } })).props.name).toBe('desk');
    expect((await failure(kindred.get('/apikeys/{id}', { params: { path } }))).status).toBe(404);
  });

  it('creates each kind from no more than a create must say', async () => {
    const user = { username: 'mini', email: 'mini@mail.test', password: PASSWORD };
    expect((await kindred.post('/users', { body: user })).props.id).toMatch(/^v/);
    await kindred.login({ login: people.admin.username, password: PASSWORD });
    const key = await kindred.post('/apikeys', { body: { name: 'mini' } });
    expect(key.props.name.length).toBe(4); // nobody sees the record without it: the types say so
    const job = await kindred.post('/cronjobs', { body: { schedule: '@daily', handler: 'Test' } });
    expect([job.props.timezone.length, job.props.enabled]).toEqual([3, true]);
    const body = { filename: 'mini.png', contentType: 'image/png', sizeInBytes: 5 };
    expect((await kindred.post('/objectfiles', { body })).props.status.toUpperCase()).toBe('PENDING');
  });

  it('filters as the types say: one value or several, numbers and booleans as they are', async () => {
    await kindred.login({ login: people.admin.username, password: PASSWORD });
    const names = async (query: { admin?: boolean | string; search?: string | string[] }) => {
      const { items, warnings } = await kindred.get('/users', { params: { query } });
      expect(warnings).toBeUndefined();
      return items.map(({ props }) => props.username);
    };
    expect(await names({ admin: true })).toEqual(['admin_u']);
    expect(await names({ admin: '!=true' })).toEqual(['owner_u', 'other_u']);
    expect(await names({ search: ['admin_u', 'other_u'] })).toEqual(['other_u', 'admin_u']);
    expect((await failure(names({ admin: 'perhaps' }))).data).toBe('admin');
  });

  it('throws what the service says', async () => {
    await kindred.login({ login: people.owner.username, password: PASSWORD });
    const path = { id: people.owner.id };
    const body = { realName: 5, email: 'no', nope: 1 } as object; // the types would not have let it through
    const wrong = await failure(kindred.put('/users/{id}', { params: { path }, body }));
    expect(wrong).toMatchObject({ name: 'KindredError', status: 422, code: 442, data: 'email' });
    expect(wrong.message).toContain('e-mail');
    expect(wrong.warnings.map(({ code, data }) => [code, data])).toEqual([
      [400, 'nope'],
      [442, 'realName'],
    ]);
    expect(service.log.some((line) => line.includes(String(wrong.requestId)))).toBe(true);
    const taken = await failure(
      kindred.put('/users/{id}', {
        params: { path },
        body: { username: 'other_u', currentPassword: PASSWORD },
      }),
    );
    expect([taken.status, taken.code, taken.data]).toEqual([409, 409, 'username']);
    const failed = await failure(kindred.login({ login: 'owner_u', password: 'wrong wrong' }));
    expect([failed.status, failed.code]).toEqual([401, 454]);
    const stale = { path, header: { 'If-Match': '"old"' } };
    expect((await failure(kindred.put('/users/{id}', { params: stale, body: {} }))).code).toBe(412);
  });

  it('tells answers that are not the service’s', async () => {
    const proxy = new Kindred(service.url, {
      fetch: () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })),
    });
    expect(await failure(proxy.get('/users'))).toMatchObject({
      status: 502,
      code: null,
      data: null,
      requestId: null,
    });
    const away = new Kindred('http://127.0.0.1:9');
    await expect(away.get('/users')).rejects.toThrow('fetch failed');
  });

  it('walks pages, each asked for when it is needed', async () => {
    const asked: string[] = [];
    const watched = new Kindred(service.url, {
      fetch: (request) => {
        asked.push(new URL(request.url).search);
        return fetch(request);
      },
    });
    const { owner } = people;
    await watched.login({ login: owner.username, password: PASSWORD });
    for (let i = 0; i < 4; i++) await watched.post('/apikeys', { body: { name: `key ${i}` } });
    asked.length = 0;
    const names: (string | undefined)[] = [];
    const query = { itemsPerPage: 2, sortBy: 'name' as const, search: 'key' };
    for await (const { props } of watched.pages('/apikeys', { params: { query } })) {
      names.push(props.name);
      if (names.length === 1) expect(asked).toHaveLength(1);
    }
    expect(names).toEqual(['key 0', 'key 1', 'key 2', 'key 3']);
    expect(asked.map((search) => new URLSearchParams(search).get('page'))).toEqual(['1', '2']);
    asked.length = 0;
    for await (const _ of watched.pages('/users/{id}/apikeys', { params: { path: { id: owner.id } } })) break;
    expect(asked).toEqual(['?itemsPerPage=100&page=1']);
    for await (const none of watched.pages('/objectfiles')) throw new Error(JSON.stringify(none));
  });

  it('uploads in three steps, without the session where the bytes go', async () => {
    const sent: [string, string | null][] = [];
    const watched = new Kindred(service.url, {
      fetch: (request) => {
        sent.push([
          new URL(request.url).pathname.replace(/[^/]{20,}/g, '…'),
          request.headers.get('cookie')?.slice(0, 13) ?? null,
        ]);
        return fetch(request);
      },
    });
    const { owner } = people;
    await watched.login({ login: owner.username, password: PASSWORD });
    sent.length = 0;
    const file = new File([new Uint8Array(PNG)], 'olive.png', { type: 'image/png' });
    const user = await watched.uploadInto('/users/{id}/import-avatar', { id: owner.id }, { bytes: file });
    expect(typeof user.props.avatarId).toBe('string');
    expect(sent).toEqual([
      ['/api/v1/objectfiles', 'appSessionId='],
      ['/files/upload/staging/…', null],
      ['/api/v1/users/…/import-avatar', 'appSessionId='],
    ]);
    const buffer = await watched.upload({
      filename: 'a.png',
      contentType: 'image/png',
      bytes: new Uint8Array(PNG),
    });
    expect(buffer.props).toMatchObject({ status: 'pending', sizeInBytes: PNG.length });
    const refused = await failure(watched.upload({ filename: 'a.exe', bytes: blob() }));
    expect([refused.code, refused.data]).toEqual([415, 'filename']);
  });
});

for (const version of registeredVersions().slice(1)) {
  it(`the client has a class for ${version}, which calls that alone`, async () => {
    const name = `Kindred${version.toUpperCase()}`;
    const module = (await import(`../client/src/kindred.${version}.js`)) as Record<string, typeof Kindred>;
    const asked: string[] = [];
    const fetched = (request: Request) => {
      asked.push(new URL(request.url).pathname);
      return fetch(request);
    };
    const { [name]: Client } = module;
    if (!Client) throw new Error(`There is no ${name}.`);
    const client = new Client(service.url, { fetch: fetched });
    await client.login({ login: people.owner.username, password: PASSWORD });
    expect((await client.get('/users/whoami')).props.id).toBe(people.owner.id);
    for await (const { props } of client.pages('/apikeys')) expect(props.name).toBe('alpha');
    expect(await failure(client.get('/users/{id}', { params: { path: { id: 'v' } } }))).toMatchObject({
      code: 404,
    });
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((path) => !path.startsWith(`/api/${version}/`))).toEqual([]);
  });
}

describe('the package', () => {
  it('runs the example of docs/client.md as it is written there', async () => {
    const page = await readFile('docs/client.md', 'utf8');
    const [, example = ''] = /```js client\n([^]*?)```/.exec(page) ?? [];
    expect(example).not.toBe('');
    const folder = await mkdtemp(join(tmpdir(), 'kindred-client-'));
    try {
      await install(folder);
      const body = {
        username: 'olive',
        realName: 'Olive Example',
        email: 'olive@example.com',
        password: PASSWORD,
      };
      expect((await service.anon.post('/users', body)).status).toBe(201);
      await writeFile(join(folder, 'olive.png'), PNG);
      await writeFile(join(folder, 'example.mjs'), example.replace('http://localhost:3000', service.url));
      const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: folder });
      expect(stdout.trim().split('\n')).toEqual(['Olive Example’s laptop']);
      const { items } = (await service.anon.get('/users?includeMeta=true')).body as { items: Json[] };
      const user = items.find(({ meta }) => (meta as Json).displayName === 'olive');
      expect(typeof (user?.props as Json).avatarId).toBe('string');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  /** What `npm install` of the packed client makes, with its TypeScript compiled by the tests' own compiler. */
  async function install(folder: string): Promise<void> {
    const target = join(folder, 'node_modules', '@kindred', 'client');
    await mkdir(join(target, 'dist'), { recursive: true });
    await cp('client/package.json', join(target, 'package.json'));
    for (const name of await readdir('client/src')) {
      const { code } = await transformFile(join('client/src', name), {
        module: { type: 'es6' },
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      });
      await writeFile(join(target, 'dist', name.replace(/\.ts$/, '.js')), code);
    }
    await symlink(resolve('node_modules/openapi-fetch'), join(folder, 'node_modules', 'openapi-fetch'));
  }

  it('names the versions of its dependencies that are tested here', async () => {
    const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Json;
    const { dependencies } = await read('client/package.json');
    const { devDependencies } = await read('package.json');
    expect(devDependencies).toMatchObject(dependencies as object);
  });
});
