import { errorOf } from './support/answers.js';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { Client } from 'pg';
import { ACCESS_KEY } from '../src/http/access.decorator.js';
import { EnvelopeInterceptor } from '../src/record/envelope.interceptor.js';
import { CATALOGUE, type ErrorName } from '../src/common/errors.js';
import { TEST_KINDS } from './kinds/kinds.js';
import type { Answer, Json } from './support/client.js';
import { Factory } from './support/factory.js';
import { sql } from './support/database.js';
import { startSetup } from './support/setup.js';

const STATEMENT_TIMEOUT_MS = 400;
const SIGN_UPS = 3;
const {
  service,
  seeder,
  actors: actors,
} = await startSetup(
  {
    kinds: TEST_KINDS,
    template: 'kinds',
    env: {
      STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
      SIGNUP_RATE_PER_ADDRESS: String(SIGN_UPS),
      BODY_LIMIT: '20000',
    },
  },
  () => Promise.resolve(),
);
const { anonymous, owner, other } = actors;

afterAll(() => service.stop());

interface Route {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
  readonly access: unknown;
}

/** The routes of a later version of the API are like those of the first, but for what it changes. */
const isLater = (version: unknown) => typeof version === 'string' && version !== 'v1';

/** Every route of every controller of the running service, as Nest knows it; of the API, the first version. */
function routesOf(): Route[] {
  const { app } = service;
  const reflector = app.get(Reflector);
  const scanner = new MetadataScanner();
  const routes: Route[] = [];
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      if (!metatype || isLater(Reflect.getMetadata(VERSION_METADATA, metatype))) continue;
      const prototype = metatype.prototype as Record<string, unknown>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const method = prototype[name] as () => unknown;
        const verb = Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod | undefined;
        if (verb === undefined) continue;
        const base = Reflect.getMetadata(PATH_METADATA, metatype) as string;
        const path = Reflect.getMetadata(PATH_METADATA, method) as string;
        routes.push({
          method: RequestMethod[verb],
          path: `/${base}/${path}`.replace(/\/+$/, '').replace(/\/{2,}/g, '/'),
          handler: `${metatype.name}.${name}`,
          access: reflector.getAllAndOverride(ACCESS_KEY, [method, metatype as () => unknown]),
        });
      }
    }
  }
  return routes;
}

const routes = routesOf();
/** From the root for what belongs to the deployment, under /api/v1 for all others. */
const urlOf = (path: string) =>
  /^\/(health\/|files\/|docs|openapi\.json|api\/)/.test(path) ? `/${path}` : path;
/** A page for people, which is no JSON. */
const isPage = (path: string) => path.startsWith('/docs');
const filled = (path: string, id: string) =>
  path
    .replace(/:(id|token)/, id)
    .replace(':variant', 'file')
    .replace(':version', 'v1');

describe('routes', () => {
  it('each declare who may call them', () => {
    expect(routes.length).toBeGreaterThan(40);
    const levels = ['open', 'public', 'login', 'kind'];
    expect(routes.filter(({ access }) => !levels.includes(access as string))).toEqual([]);
  });

  it('are no more than once there', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('are the standard ones for every generic kind, under its declared access', () => {
    for (const { path } of seeder.kinds) {
      const standard = ['GET', 'POST'].map((method) => `${method} /${path}`);
      standard.push(...['GET', 'PUT', 'DELETE'].map((method) => `${method} /${path}/:id`));
      standard.push(`GET /${path}/options`, `GET /${path}/:id/:relation`);
      const known = new Map(routes.map((route) => [`${route.method} ${route.path}`, route.access]));
      expect([path, standard.map((name) => known.get(name))]).toEqual([path, standard.map(() => 'kind')]);
    }
  });

  it('need a session exactly where they say so', async () => {
    for (const { method, path, access } of routes) {
      if (isPage(path) || (path.startsWith('/sessions') && method === 'POST')) continue;
      const at = urlOf(filled(path, 'vnothing').replace(':relation', 'nothing'));
      const call = { ...(method !== 'GET' && { body: {} }), anyType: true };
      const answer = await anonymous.call.send(method, at, call);
      if (access === 'login') expect([method, path, answer.status]).toEqual([method, path, 401]);
      // A bad cookie is refused by all that look at it, and by those alone.
      const headers = { cookie: 'appSessionId=vbad' };
      const bad = await anonymous.call.send(method, at, { ...call, headers });
      const where = `${method} ${path} ${String(access)}`;
      expect([where, bad.status === 401]).toEqual([where, access !== 'open']);
      expect([where, bad.headers.get('set-cookie')?.includes('appSessionId=;') ?? false]).toEqual([
        where,
        access !== 'open',
      ]);
    }
  });

  it('answer 405 with Allow to every other method, and OPTIONS with 204', async () => {
    const factory = new Factory(seeder, owner);
    const id = await factory.create(seeder.graph.get('DummyThing'));
    const paths = new Map<string, Set<string>>();
    for (const { method, path } of routes) {
      if (path.includes(':relation')) continue;
      paths.set(path, (paths.get(path) ?? new Set()).add(method));
    }
    paths.set('/dummythings/:id/user', new Set(['GET']));
    for (const [path, methods] of paths) {
      const at = urlOf(filled(path, id));
      const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.has(one))) {
        const answer = await owner.call.send(method, at);
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect([method, path, answer.headers.get('allow')?.split(', ').sort()]).toEqual([
          method,
          path,
          allow,
        ]);
      }
      const options = await anonymous.call.send('OPTIONS', at);
      expect([path, options.status, options.headers.get('allow')?.split(', ').sort()]).toEqual([
        path,
        204,
        allow,
      ]);
    }
  });

  it('have their envelopes built without the chain of observables that other interceptors need', async () => {
    const chained = jest.spyOn(EnvelopeInterceptor.prototype, 'intercept');
    try {
      const { status, body } = await actors.admin.call.get('/users/whoami');
      expect([status, Object.keys(body)]).toEqual([200, ['props']]);
      expect(chained).not.toHaveBeenCalled();
    } finally {
      chained.mockRestore();
    }
  });

  it('are 404 for relations and paths that are none, whatever the method', async () => {
    const factory = new Factory(seeder, owner);
    for (const kind of seeder.kinds) {
      const id = kind === seeder.graph.userKind ? owner.id : await factory.parent(kind).catch(() => 'vnone');
      for (const name of ['nope', 'props', '__proto__', 'constructor', 'self', 'options']) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
          const answer = await owner.call.send(method, `/${kind.path}/${String(id)}/${name}`);
          expect([kind.kind, method, name, answer.status]).toEqual([kind.kind, method, name, 404]);
        }
      }
      for (const [name] of [...kind.parents, ...kind.children]) {
        if (name === name.toLowerCase()) continue;
        expect((await owner.call.get(`/${kind.path}/${String(id)}/${name}`)).status).toBe(404);
      }
    }
    for (const path of [
      '',
      '/',
      '/nope',
      '/thing',
      '/Things',
      '/dummythings/',
      '/dummythings/x/user/y',
      '//api/v99/dummythings',
      '//',
    ]) {
      expect([path, (await owner.call.get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('every error of the catalogue', () => {
  const met = new Set<ErrorName>();
  const things = '/dummythings';
  let thing = '';
  let key: Json = {};

  beforeAll(async () => {
    thing = `${things}/${await new Factory(seeder, owner).create(seeder.graph.get('DummyThing'))}`;
    key = (await owner.call.post('/apikeys', { name: 'a' })).body;
  });

  const is = (name: ErrorName, answer: Answer, data: unknown = null) => {
    const { status, code } = CATALOGUE[name];
    expect([name, answer.status, errorOf(answer)]).toEqual([
      name,
      status,
      { code, message: expect.stringMatching(/^[^\n]{10,200}$/), data },
    ]);
    met.add(name);
  };

  it('of the client’s making', async () => {
    const { call } = owner;
    is('malformed', await call.post(things, '{"a":'));
    is('malformed', await call.get(`${things}?search=%00`));
    is('loginNeeded', await anonymous.call.post(things, {}));
    is('loginNeeded', await anonymous.call.get('/users/whoami'));
    const { id } = key.props as { id: string };
    is('loginFailed', await anonymous.call.post('/sessions', { apiKey: id, privateKey: 'pk_wrong' }));
    is('loginFailed', await anonymous.call.post('/sessions', { login: 'nobody', password: 'wrong wrong' }));
    is('forbidden', await other.call.delete(thing));
    is('forbidden', await call.get(`${things}?guarded=1`), 'guarded');
    is('notFound', await call.get('/dummythings/vnone'));
    is('methodNotAllowed', await call.post(thing, {}));
    const item = { name: 'one', category: 'Food' };
    expect((await call.post('/dummyitems', item)).status).toBe(201);
    is('conflict', await call.post('/dummyitems', item), 'name');
    is('preconditionFailed', await call.put(thing, {}, { headers: { 'if-match': '"old"' } }));
    is('tooLarge', await call.post(things, { note: 'x'.repeat(20_001) }), 20_000);
    is('urlTooLong', await call.get(`${things}?search=${'x'.repeat(9_000)}`));
    is('unsupportedType', await call.post(things, 'a=1', { headers: { 'content-type': 'text/plain' } }));
    is('missing', await call.post('/dummyitems', {}), 'name');
    is('invalid', await call.put(thing, { amount: 'much' }), 'amount');
    is('invalid', await call.get(`${things}?page=0`), 'page');
    is('headersTooLarge', await rawGet('/api/v1/dummythings', { 'x-big': 'x'.repeat(40_000) }));
  });

  it('for too many sign-ups', async () => {
    const body = (i: number) => ({
      username: `signer${i}`,
      email: `s${i}@mail.test`,
      password: 'long enough',
    });
    for (let i = 0; i < SIGN_UPS; i++)
      expect((await anonymous.call.post('/users', body(i))).status).toBe(201);
    const refused = await anonymous.call.post('/users', body(9));
    is('tooMany', refused, expect.any(Number));
    expect(refused.headers.get('retry-after')).toBe(String(errorOf(refused).data));
  });

  it('of the database’s making', async () => {
    const { call } = owner;
    const blocker = new Client({ connectionString: service.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE dummythings IN ACCESS EXCLUSIVE MODE');
      is('tooSlow', await call.get(things));
      is('tooSlow', await call.get(thing));
      is('tooSlow', await call.put(thing, { name: 'x' }));
    } finally {
      await blocker.end();
    }
    expect((await call.get(thing)).status).toBe(200);
  });

  it('of the service’s own making, without a word of why', async () => {
    await service.sql('ALTER TABLE dummyitems RENAME TO hidden_items');
    const answer = await rawGet('/api/v1/dummyitems');
    await service.sql('ALTER TABLE hidden_items RENAME TO dummyitems');
    is('internal', answer, answer.headers.get('x-request-id'));
    expect(answer.text).not.toMatch(/dummyitems|relation|select/i);
    expect(service.log.filter((line) => line.includes(String(errorOf(answer).data)))).not.toEqual([]);
    expect((await anonymous.call.get('/dummyitems')).status).toBe(200);
  });

  it('while the database is away, and none after', async () => {
    const name = new URL(service.databaseUrl).pathname.slice(1);
    const server = process.env.TEST_DATABASE_URL ?? '';
    await sql(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await sql(
      server,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'kindred%'`,
      [name],
    );
    try {
      // The first may still meet a dying connection; each is one of the catalogue's, none is a 500.
      for (let i = 0; i < 3; i++) is('unavailable', await anonymous.call.get(things));
      is('unavailable', await anonymous.call.get('//health/ready'));
      expect((await anonymous.call.get('//health/live')).status).toBe(200);
    } finally {
      await sql(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    }
    expect((await anonymous.call.get(things)).status).toBe(200);
    expect((await owner.call.put(thing, { name: 'back' })).status).toBe(200);
  });

  it('has been met, but for those of other parts of the service', () => {
    // They come with files only.
    const others: ErrorName[] = ['rangeNotSatisfiable', 'badGateway', 'storageFull'];
    expect((Object.keys(CATALOGUE) as ErrorName[]).filter((name) => !met.has(name))).toEqual(others);
  });
});

/** A GET with what fetch or the standing assertions of the tests' caller would not let through. */
function rawGet(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(service.url + path, { headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          text,
          body: JSON.parse(text) as Json,
        }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}
