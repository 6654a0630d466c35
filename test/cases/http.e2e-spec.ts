import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Kind } from '../../src/record/schema/kind.js';
import { Prop } from '../../src/record/schema/prop.js';
import { RecordEngine } from '../../src/record/record-engine.js';
import { RecordEntity } from '../../src/record/record.entity.js';
import { RecordService } from '../../src/record/record.service.js';
import type { Row } from '../../src/record/row.js';
import { testModule } from '../kinds/define.js';
import { TEST_KINDS } from '../kinds/kinds.js';
import type { Answer, Json } from '../support/client.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import { jsonOf, propsOf, request, warnedOf, wire } from './wire.js';

/*
 * Families http-layer, error-leak, logging, as the whole service answers.
 */

const SECRET = 'hunter2-in-a-message';

/** A kind whose service fails while it describes. */
@Kind({ kind: 'DummyBomb', path: 'dummybombs', owner: ['admin'], view: ['public'], create: ['public'] })
class DummyBomb extends RecordEntity {
  @Prop.string({ length: 20, view: ['public'], edit: ['public'] })
  throws!: string | null;
}

@Injectable()
class DummyBombService extends RecordService {
  constructor(engine: RecordEngine) {
    super(engine, DummyBomb);
  }

  override serializeMeta(row: Row): Record<string, unknown> {
    if (row.throws === 'error') throw new Error(`password ${SECRET} for /etc/secret at db:5432`);
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the point of the test
    if (row.throws === 'null') throw null;
    if (row.throws === 'circular') {
      const loop: Record<string, unknown> = { SECRET };
      return Object.assign(loop, { loop });
    }
    return {};
  }
}

const KINDS = [...TEST_KINDS, testModule(DummyBomb, DummyBombService)];
const LIMITS = { headersTimeout: 1000, requestTimeout: 2000, checkInterval: 200 };

let service: TestService;
let f: Fixture;
beforeAll(async () => {
  service = await startTestService({ kinds: KINDS, template: 'kinds_bomb', limits: LIMITS });
});
afterAll(() => service.stop());
beforeEach(async () => {
  f = await resetFixture(service);
});

const failure = (code: number, data: unknown = null) => ({
  error: { code, message: expect.any(String), data },
});
const cookie = (person: { sessionId: string }) => `cookie: appSessionId=${person.sessionId}`;
const JSON_TYPE = 'content-type: application/json';
/** What says which software answers. */
const BANNER =
  /fastify|nest(js)?\b|node\.js|node\/|express|postgres|typeorm|v?20\.\d+\.\d+|x-powered-by|^server:/im;

describe('routes', () => {
  it.each([
    ['GET', '//api/v1/nope', 'anon'],
    ['GET', '//', 'anon'],
    ['GET', '//api', 'anon'],
    ['GET', '//api/v1', 'anon'],
    ['GET', '//api/v99/users', 'anon'],
    ['POST', '//api/v1/nope', 'anon'],
    ['GET', '//users', 'anon'],
    ['GET', '//api/v1/Users', 'anon'],
    ['GET', '//api/v1/users/', 'anon'],
    ['GET', '//api/v1//users', 'anon'],
  ] as const)('HT-01: %s %s is 404 in the envelope', async (method, path, as) => {
    const answer = await f[as].send(method, path, method === 'POST' ? { body: { a: 1 } } : {});
    expect(answer).toMatchObject({ status: 404, body: failure(404) });
  });

  it('HT-01: an unknown relation is 404 for every method, and does nothing', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'POST', 'PATCH']) {
      const answer = await f.owner.call.send(method, `/users/${f.owner.id}/nope`);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    expect((await f.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('405 with Allow on known paths', async () => {
    for (const [method, path] of [
      ['PATCH', '/users'],
      ['DELETE', '/users'],
      ['PUT', '/users'],
      ['POST', `/users/${f.owner.id}`],
      ['POST', '/users/whoami'],
      ['DELETE', `/users/${f.owner.id}/apikeys`],
      ['PUT', '/sessions'],
      ['PATCH', '/test'],
    ] as const) {
      const answer = await f.owner.call.send(method, path);
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      const allow = answer.headers.get('allow') ?? '';
      expect(allow).not.toContain(method);
      expect(allow).not.toBe('');
    }
  });

  it('HT-09: there is no method override', async () => {
    const path = `/apikeys/${f.owner.key.id}`;
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-http-method': 'DELETE',
    };
    expect((await f.owner.call.post(path, {}, { headers })).status).toBe(405);
    const read = await f.owner.call.get(`${path}?_method=DELETE`, { headers });
    expect([read.status, warnedOf(read), read.body.meta]).toEqual([200, ['_method'], undefined]);
    expect((await f.owner.call.post(`${path}?_method=DELETE`, {})).status).toBe(405);
    expect((await f.owner.call.put(path, { _method: 'DELETE' })).status).toBe(200);
    expect((await f.owner.call.get(path)).status).toBe(200);
  });

  it('HT-11: encoded separators in ids reach no other route', async () => {
    const paths = [
      `/api/v1/users/${f.owner.id}%2fapikeys`,
      `/api/v1/users/${f.owner.id}%2Fapikeys`,
      '/api/v1/users/..%2ftopics',
      '/api/v1/users/%2e%2e/dummytopics',
      '/api/v1/users/../dummytopics',
      `/api/v1/users/${f.owner.id}%3fincludeMeta=true`,
      `/api/v1/users/${f.owner.id}%23x`,
      `/api/v1/users/${f.owner.id};a=b`,
      `/api/v1/users/${f.owner.id}%20`,
      `/api/v1/users/%09${f.owner.id}`,
      '/api/v1/users/%77hoami',
      '/api/v1/%75sers%2fwhoami',
    ];
    for (const path of paths) {
      for (const person of [f.owner, f.other]) {
        const answer = await request(service.url, `GET ${path}`, [cookie(person)]);
        // A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); that one is the route itself.
        const expected = path.endsWith('%77hoami') ? [200, 400, 404] : [400, 404];
        expect([path, expected.includes(answer.statuses[0] ?? 0)]).toEqual([path, true]);
        if (answer.statuses[0] !== 200)
          expect(jsonOf(answer)).toMatchObject({ error: { code: answer.statuses[0] } });
        expect(answer.text).not.toMatch(/"alpha"|"title"|owner\.secret.*other\.secret/);
      }
    }
  });

  it('HT-13: HEAD has the status of GET and no body, OPTIONS no effect', async () => {
    for (const [call, path, status] of [
      [f.anon, `/users/${f.owner.id}`, 200],
      [f.owner.call, '/users/whoami', 200],
      [f.anon, '/users/whoami', 401],
      // No cron jobs yet: topics are for roles alone.
      [f.other.call, '/dummytopics', 403],
      [f.anon, '/dummytopics', 401],
      [f.admin.call, '/dummytopics', 200],
      [f.other.call, `/apikeys/${f.owner.key.id}`, 404],
      [f.anon, '/nope', 404],
      [f.anon, '/users?page=0', 422],
    ] as const) {
      const get = await call.get(path);
      const head = await call.send('HEAD', path);
      expect([path, get.status, head.status, head.text]).toEqual([path, status, status, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    }
    for (const path of [`/users/${f.owner.id}`, '/users', '/sessions', `/users/${f.owner.id}/apikeys`]) {
      const answer = await f.owner.call.send('OPTIONS', path);
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
      expect(answer.headers.get('allow')).toContain('OPTIONS');
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await f.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('HT-18: links do not repeat a forged host', async () => {
    const headers = [
      'x-forwarded-host: evil.test',
      'x-forwarded-proto: https',
      'forwarded: host=evil.test',
      'x-original-url: /evil.test',
    ];
    const paths = [
      `/api/v1/users/${f.owner.id}?includeLinks=true&includeMeta=true`,
      '/api/v1/users?includeLinks=true',
      '/api/v1/users/nope',
      '/nope',
    ];
    for (const path of paths) {
      const answer = await request(service.url, `GET ${path}`, headers, '', 'evil.test');
      expect([200, 400, 404, 421]).toContain(answer.statuses[0]);
      expect(answer.text).not.toContain('evil.test');
    }
    const links = (await f.anon.get(`/users/${f.owner.id}?includeLinks=true`)).body.links as Record<
      string,
      { href: string }
    >;
    expect(Object.keys(links)).toEqual(expect.arrayContaining(['self', 'base', 'apikeys']));
    for (const { href } of Object.values(links)) expect(href).toMatch(/^\/api\/v1\/(?!\/)/);
    const signUp = await request(
      service.url,
      'POST /api/v1/users',
      [...headers, JSON_TYPE],
      JSON.stringify({ username: 'forged', email: 'forged@mail.test', password: PASSWORD }),
      'evil.test',
    );
    expect(signUp.text).not.toContain('evil.test');
  });

  it('HT-19: always JSON, whatever Accept says', async () => {
    const script = '/users/%3Cscript%3Ealert(1)%3C%2Fscript%3E';
    for (const accept of [
      'text/html',
      'application/xml',
      '*/*;q=0',
      'text/html,application/xhtml+xml',
      'x',
    ]) {
      for (const path of [
        '/users/nope',
        script,
        '/users?%3Cscript%3E=1',
        '/users',
        '//%3Cscript%3E',
        '/test?a=%3Cscript%3E',
      ]) {
        // The caller checks type and nosniff of every answer.
        const answer = await f.anon.get(path, { headers: { accept } });
        expect([200, 404, 406]).toContain(answer.status);
        if (answer.status === 404) expect(answer.text).not.toContain('script');
      }
    }
  });
});

describe('bodies', () => {
  it.each([
    ['{"apiKey":', 400],
    ["{'apiKey':'x'}", 400],
    ['{"a":1,}', 400],
    ['{"a":1}{"b":2}', 400],
    ['{"a":NaN}', 400],
    ['\u00a0{}', 400],
    ['', 441],
  ] as const)('HT-03: broken JSON %j', async (body, code) => {
    const paths = ['/sessions', '/users', '/apikeys'];
    for (const path of paths) {
      for (const call of [f.anon, f.owner.call]) {
        const answer = await request(
          service.url,
          `POST /api/v1${path}`,
          [
            JSON_TYPE,
            ...(call.cookie ? [`cookie: appSessionId=${call.cookie}`] : []),
            ...(body === '' ? ['content-length: 0'] : []),
          ],
          body,
        );
        const json = jsonOf(answer);
        expect([path, answer.statuses, json]).toEqual([path, [code === 441 ? 422 : 400], failure(code)]);
        expect(answer.text).not.toMatch(/position|Unexpected|token|SyntaxError|JSON\.parse|at \w+ \(/);
      }
    }
  });

  it.each(['null', '"x"', '5', '[]', 'true', '[{"realName":"x"}]'])(
    'HT-04: %s is no object',
    async (body) => {
      for (const answer of [
        await f.owner.call.put(`/users/${f.owner.id}`, body),
        await f.anon.post('/users', body),
        await f.anon.post('/sessions', body),
        await f.owner.call.post('/dummythings', body),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: failure(400) });
      }
      expect(propsOf(await f.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
    },
  );

  it('an empty object changes nothing', async () => {
    const before = await f.owner.call.get(`/users/${f.owner.id}`);
    const answer = await f.owner.call.put(`/users/${f.owner.id}`, {});
    expect([answer.status, propsOf(answer)]).toEqual([200, propsOf(before)]);
    expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('HT-06: large bodies are refused before they are read, chunked or not', async () => {
    const large = await f.owner.call.put(`/users/${f.owner.id}`, { realName: 'a'.repeat(20 * 1024 * 1024) });
    expect(large).toMatchObject({ status: 413, body: failure(413, 1024 * 1024) });
    const head = `PUT /api/v1/users/${f.owner.id} HTTP/1.1\r\nhost: x\r\n${cookie(f.owner)}\r\n${JSON_TYPE}\r\n`;
    const declared = await wire(service.url, `${head}content-length: 5368709120\r\n\r\n`, 5000);
    expect(declared).toMatchObject({ statuses: [413], closed: true });
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const endless = await wire(
      service.url,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
      5000,
    );
    expect(endless).toMatchObject({ statuses: [413], closed: true });
    // Silence after the headers: cut off by the request timeout.
    const silent = await wire(service.url, `${head}content-length: 100\r\n\r\n{"realName":`, 6000);
    expect(silent.closed).toBe(true);
    const next = await f.anon.get('/users?itemsPerPage=1');
    expect(next.status).toBe(200);
    expect(propsOf(await f.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
  });

  it('HT-08: of duplicate keys the last one counts, for everybody who reads', async () => {
    const path = `/users/${f.owner.id}`;
    expect(propsOf(await f.owner.call.put(path, '{"realName":"first","realName":"second"}')).realName).toBe(
      'second',
    );
    expect(propsOf(await f.owner.call.get(path)).realName).toBe('second');
    // The last one is judged, not the first.
    const long = 'x'.repeat(61);
    expect((await f.owner.call.put(path, `{"realName":"ok","realName":"${long}"}`)).status).toBe(422);
    expect(propsOf(await f.owner.call.put(path, `{"realName":"${long}","realName":"ok"}`)).realName).toBe(
      'ok',
    );
    for (const body of [
      '{"admin":false,"admin":true}',
      '{"admin":true,"\\u0061dmin":true}',
      '{"admin":true,"admin":false}', // the last one is what it is already
    ]) {
      const answer = await f.other.call.put(`/users/${f.other.id}`, body);
      expect([answer.status, warnedOf(answer)]).toEqual([200, body.endsWith('true}') ? ['admin'] : []]);
      expect(propsOf(await f.admin.call.get(`/users/${f.other.id}`))).toMatchObject({ admin: false });
    }
  });

  it('a DELETE with a body, and a GET with one, are what they are without', async () => {
    const headers = [cookie(f.owner), JSON_TYPE];
    const read = await request(service.url, 'GET /api/v1/users/whoami', headers, '{"a":1}');
    expect(read.statuses[0]).toBe(200);
    expect(jsonOf(read)).toMatchObject({ props: { id: f.owner.id } });
    const gone = await request(service.url, `DELETE /api/v1/apikeys/${f.owner.key.id}`, headers, '{"a":1}');
    expect(gone.statuses).toEqual([200]);
  });
});

describe('connections', () => {
  it('HT-16: ambiguous framing is 400, and the hidden request is not executed', async () => {
    const hidden = `DELETE /api/v1/apikeys/${f.owner.key.id} HTTP/1.1\r\nhost: x\r\n${cookie(f.owner)}\r\n\r\n`;
    const post = `POST /api/v1/dummythings HTTP/1.1\r\nhost: x\r\n${cookie(f.owner)}\r\n${JSON_TYPE}\r\n`;
    for (const bytes of [
      `${post}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}transfer-encoding: chunked\r\ncontent-length: 6\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}content-length: 2\r\ncontent-length: ${2 + hidden.length}\r\n\r\n{}${hidden}`,
      `${post}content-length: 2, 2\r\n\r\n{}${hidden}`,
      `${post}content-length: +2\r\n\r\n{}${hidden}`,
      `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${post}x-a: b\ncontent-length: 2\r\n\r\n{}${hidden}`,
      `${post}content-length : 2\r\n\r\n{}${hidden}`,
      `${post}transfer-encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n${hidden}`,
    ]) {
      const answer = await wire(service.url, bytes, 4000);
      expect([bytes.slice(0, 400), answer.statuses, answer.closed]).toEqual([
        bytes.slice(0, 400),
        [400],
        true,
      ]);
      expect(jsonOf(answer)).toEqual(failure(400));
      expect(answer.text).not.toMatch(BANNER);
    }
    expect((await f.owner.call.get(`/apikeys/${f.owner.key.id}`)).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
  });

  it('HT-16: pipelined requests are answered in order, each for itself', async () => {
    const get = (who: string, close = '') =>
      `GET /api/v1/users/whoami HTTP/1.1\r\nhost: x\r\n${who}${close}\r\n`;
    const bytes =
      get(`${cookie(f.owner)}\r\n`) + get('') + get(`${cookie(f.other)}\r\n`, 'connection: close\r\n');
    const answer = await wire(service.url, bytes, 4000);
    expect(answer.statuses).toEqual([200, 401, 200]);
    expect(answer.text.indexOf('owner_u')).toBeLessThan(answer.text.indexOf('other_u'));
    expect(answer.text.match(/owner_u/g)?.length).toBe(answer.text.match(/other_u/g)?.length);
  });

  it('HT-14: slow clients are cut off, and nobody waits for them', async () => {
    // 500 and 500 for two minutes in the case; here with limits of 1 and 2 seconds.
    const sockets: Socket[] = [];
    const ends: Promise<number>[] = [];
    const slow = (start: string) => {
      const began = Date.now();
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(start));
      sockets.push(socket);
      const timer = setInterval(() => socket.write('a'), 250);
      socket.on('error', () => undefined).resume();
      ends.push(
        new Promise((resolve) =>
          socket.on('close', () => {
            clearInterval(timer);
            resolve(Date.now() - began);
          }),
        ),
      );
    };
    for (let i = 0; i < 200; i++) {
      slow('GET /api/v1/users HTTP/1.1\r\nhost: x\r\nx-a: ');
      slow(
        `PUT /api/v1/users/${f.owner.id} HTTP/1.1\r\nhost: x\r\n${cookie(f.owner)}\r\n${JSON_TYPE}\r\ncontent-length: 5000\r\n\r\n{"realName":"`,
      );
    }
    let open = true;
    const all = Promise.all(ends).finally(() => (open = false));
    let asked = 0;
    while (open) {
      const start = Date.now();
      expect((await f.anon.get('/users?itemsPerPage=1')).status).toBe(200);
      expect(Date.now() - start).toBeLessThan(quick(1000));
      asked++;
      await sleep(100);
      expect(asked).toBeLessThan(200);
    }
    const times = await all;
    expect(Math.max(...times)).toBeLessThan(20_000);
    // Not at once, either: a client may be slow within the limits.
    expect(Math.min(...times)).toBeGreaterThan(800);
    expect(propsOf(await f.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
    for (const socket of sockets) socket.destroy();
  });

  it('a client that hangs up leaves nothing behind', async () => {
    const body = JSON.stringify({ name: 'cut' });
    const head = `POST /api/v1/dummythings HTTP/1.1\r\nhost: x\r\n${cookie(f.owner)}\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n`;
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
          socket.write(head + body.slice(0, -3), () => socket.resetAndDestroy());
        });
        socket.on('close', () => resolve()).on('error', () => undefined);
      });
    }
    expect((await f.owner.call.get('/users/whoami')).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
  });
});

describe('what errors tell', () => {
  it('EL-01: unique and other violations name the prop alone', async () => {
    const user = (i: number) => ({
      username: 'owner_u',
      email: `x${i}@mail.test`,
      realName: 'Row Content',
      password: PASSWORD,
    });
    const same = { username: 'together', email: 'together@mail.test', password: PASSWORD };
    const answers = [
      await f.admin.call.post('/users', user(1)),
      await f.other.call.put(`/users/${f.other.id}`, { username: 'OWNER_U', currentPassword: PASSWORD }),
      ...(await Promise.all(Array.from({ length: 10 }, () => f.anon.post('/users', same)))),
    ];
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status >= 300)) {
      expect(answer).toMatchObject({ status: 409, body: failure(409, 'username') });
      expect(answer.text).not.toMatch(
        /Key \(|duplicate|uq_|usernameFolded|users|INSERT|UPDATE|23505|Row Content|owner_u|argon/i,
      );
    }
  });

  it('EL-01: a database rule that no check foresaw tells nothing', async () => {
    await service.sql(
      `ALTER TABLE dummythings ADD CONSTRAINT "ck_secret_rule" CHECK (name <> 'forbidden word')`,
    );
    try {
      const response = await fetch(`${service.url}/api/v1/dummythings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `appSessionId=${f.owner.sessionId}` },
        body: JSON.stringify({ name: 'forbidden word', secret: 'row content' }),
      });
      const text = await response.text();
      expect(JSON.parse(text)).toEqual(failure(500, response.headers.get('x-request-id')));
      expect(text).not.toMatch(/ck_secret|check|violates|row content|forbidden word|dummythings|23514/);
      // The log has what the operator needs, but not the row.
      const logged = service.log.filter((line) => line.includes(response.headers.get('x-request-id') ?? '-'));
      expect(logged.join('\n')).toContain('23514');
      expect(logged.join('\n')).not.toMatch(/row content|Failing row/);
    } finally {
      await service.sql('ALTER TABLE dummythings DROP CONSTRAINT "ck_secret_rule"');
    }
  });

  it('EL-03: unexpected exceptions say nothing, and the service goes on', async () => {
    for (const throws of ['error', 'null', 'circular']) {
      await service.sql('TRUNCATE dummybombs');
      const made = await f.anon.post('/dummybombs', { throws });
      expect(made.status).toBeLessThan(300);
      const id = String(propsOf(made).id);
      for (const path of [
        `/dummybombs/${id}?includeMeta=true`,
        '/dummybombs?itemsPerPage=100&includeMeta=true',
      ]) {
        const response = await fetch(`${service.url}/api/v1${path}`);
        const text = await response.text();
        const requestId = response.headers.get('x-request-id');
        expect([throws, response.status, JSON.parse(text)]).toEqual([throws, 500, failure(500, requestId)]);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('etag')).toBeNull();
        expect(text).not.toMatch(/hunter2|\/etc|stack|Error:|\.ts|\.js|circular|5432/);
        const logged = service.log.filter(
          (line) => line.includes(requestId ?? '-') && line.includes('"level":"error"'),
        );
        expect(logged.length).toBeGreaterThan(0);
      }
      // Without what throws, the record is there.
      expect((await f.anon.get(`/dummybombs/${id}`)).status).toBe(200);
    }
    expect((await f.anon.get('/users?itemsPerPage=1')).status).toBe(200);
  });

  it('EL-06: no technology banner, and no files', async () => {
    for (const path of [
      '/api/v1/users/nope',
      '/favicon.ico',
      '/.env',
      '/package.json',
      '/api/v1/../../package.json',
      '/..%2f..%2fpackage.json',
      '//etc/passwd',
      '/.git/config',
      '/node_modules/pg/package.json',
      '/metrics',
      '/robots.txt',
      '/api/v1/users?page=x',
    ]) {
      const answer = await request(service.url, `GET ${path}`);
      expect([path, [400, 404, 422].includes(answer.statuses[0] ?? 0)]).toEqual([path, true]);
      expect(Object.keys(jsonOf(answer))).toEqual(['error']);
      expect(answer.text).not.toMatch(BANNER);
      expect(answer.text).not.toMatch(/"dependencies"|root:|kindred-reader/);
    }
    for (const path of ['/api/v1/test', '/health/live', '/health/ready', '/api/v1/users']) {
      expect((await request(service.url, `GET ${path}`)).text).not.toMatch(BANNER);
    }
  });

  it('messages repeat nothing that was sent', async () => {
    const odd = 'zq<9>"odd';
    for (const answer of [
      await f.anon.get(`/users?page=${encodeURIComponent(odd)}`),
      await f.anon.get(`/users?sortBy=${encodeURIComponent(odd)}`),
      await f.anon.get(`/users?includeRelated=${encodeURIComponent(odd)}`),
      await f.owner.call.put(`/users/${f.owner.id}`, { useAsDisplayName: odd }),
      await f.owner.call.put(`/users/${f.owner.id}`, { email: odd }),
      await f.owner.call.post('/dummythings', { userId: odd }),
      await f.owner.call.post('/dummythings', { due: odd }),
      await f.anon.get(`/dummythings?colour=${encodeURIComponent(odd)}`),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain('zq<9>');
    }
  });

  it('several faults: the first in order of declaration, the others beside it', async () => {
    const answer = await f.owner.call.put(`/users/${f.owner.id}`, {
      realName: 5,
      email: 'none',
      username: null,
      admin: true,
      nope: 1,
    });
    expect(answer).toMatchObject({ status: 422, body: failure(441, 'username') });
    expect(warnedOf(answer).sort()).toEqual(['admin', 'email', 'nope', 'realName']);
    expect(propsOf(await f.owner.call.get('/users/whoami'))).toMatchObject({
      realName: 'Olive Owner',
      email: f.owner.email,
    });
  });
});

describe('the log', () => {
  const lines = () => service.log.map((line) => JSON.parse(line) as Json);

  it('LO-01: has no secrets, on success and on failure, at level debug', async () => {
    service.log.length = 0;
    const login = await f.anon.post('/sessions', {
      apiKey: f.owner.key.id,
      privateKey: f.owner.key.privateKey,
    });
    const key = await f.owner.call.post('/apikeys', { name: 'l' });
    const thing = await f.owner.call.post('/dummythings', { name: 'l', secret: 'VerySecretText1' });
    await f.admin.call.post('/users', {
      username: 'log1',
      email: 'log1@mail.test',
      realName: 'x',
      password: 'VerySecretPw1',
    });
    await f.anon.post('/sessions', { apiKey: f.owner.key.id, privateKey: 'wrongsecretvalue' });
    await f.anon.post('/sessions', { login: 'log1', password: 'VerySecretPw1' });
    await f.anon.post('/sessions', { login: 'log1', password: 'wrongsecretvalue' });
    await f.anon.post('/sessions', { login: 'wrongsecretvalue', password: 'VerySecretPw1' });
    await f.anon.post('/sessions', { apiKey: 'wrongsecretvalue', privateKey: 'x' });
    await f.anon.post('/sessions', '{"password":"VerySecretPw1"');
    // Failures at every level: duplicate, too long, unique in the database, cut short.
    await f.anon.post('/users', { username: 'log1', email: 'log1@mail.test', password: 'VerySecretPw1' });
    await f.owner.call.put(`/users/${f.owner.id}`, { password: 'VerySecretPw1', email: 'VerySecretText1' });
    await f.owner.call.put(`/users/${f.owner.id}`, { password: 'VerySecretPw1', currentPassword: PASSWORD });
    await f.owner.call.put(`/users/${f.owner.id}`, {
      password: 'x'.repeat(9),
      currentPassword: 'VerySecretPw2',
    });
    await f.owner.call.get('/users?search=VerySecretText1&password=VerySecretPw1');
    await f.anon.get('/nope/VerySecretText1?token=VerySecretPw1');
    await f.owner.call.get(`/sessions/${f.owner.sessionId}`);
    await f.other.call.get(`/sessions/${f.owner.sessionId}/user`);
    await f.other.call.delete(`/sessions/${f.owner.sessionId}`);
    await f.anon.get('/users', {
      headers: { cookie: 'appSessionId=wrongsecretvalue', authorization: 'Bearer VerySecretPw1' },
    });
    await service.sql('ALTER TABLE dummythings RENAME TO things_away');
    try {
      await fetch(`${service.url}/api/v1/dummythings?search=VerySecretText1`);
      await fetch(`${service.url}/api/v1/dummythings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `appSessionId=${f.owner.sessionId}` },
        body: '{"secret":"VerySecretText1"}',
      });
    } finally {
      await service.sql('ALTER TABLE things_away RENAME TO dummythings');
    }
    await wire(service.url, `GET /VerySecretPw1 HTTP/9\r\ncookie: appSessionId=${f.owner.sessionId}\r\n\r\n`);
    await f.owner.call.delete(`/sessions/${f.owner.sessionId}`);
    const log = service.log.join('\n');
    const secrets = [
      'VerySecretPw1',
      'VerySecretPw2',
      'VerySecretText1',
      'wrongsecretvalue',
      f.owner.key.privateKey,
      f.owner.sessionId,
      f.other.sessionId,
      f.admin.sessionId,
      String(propsOf(login).id),
      (key.body.meta as { privateKey: string }).privateKey,
      'argon2',
      'log1@mail.test',
      'owner.secret@mail.test',
      'a secret for tests alone',
    ];
    for (const secret of secrets) expect([secret, log.includes(secret)]).toEqual([secret, false]);
    expect(thing.status).toBeLessThan(300);
    expect(lines().filter(({ msg }) => msg === 'request').length).toBeGreaterThan(15);
    // Row ids of the database stay inside as well.
    expect(log).not.toMatch(/"(userId|rowId|realId)"/);
  });

  const event = (answer: Answer) =>
    lines().find((line) => line.msg === 'audit' && line.requestId === answer.headers.get('x-request-id'));
  const recorded = (over: Json) => ({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    requestId: expect.any(String),
    address: '127.0.0.1',
    action: expect.any(String),
    ...over,
  });

  it('LO-04: a failed and a successful login are recorded', async () => {
    const failed = await f.anon.post('/sessions', { apiKey: f.owner.key.id, privateKey: 'nonsense' });
    expect(event(failed)).toMatchObject(
      recorded({ event: 'login', actor: null, target: f.owner.key.id, outcome: 'failure' }),
    );
    const good = await f.anon.post('/sessions', { login: 'owner_u', password: PASSWORD });
    expect(event(good)).toMatchObject(recorded({ event: 'login', actor: f.owner.id, outcome: 'success' }));
    expect(JSON.stringify([event(failed), event(good)])).not.toMatch(/nonsense|battery|owner_u/);
  });

  it('LO-04: a change of roles is recorded', async () => {
    const grant = await f.admin.call.put(`/users/${f.other.id}`, { admin: true });
    const revoke = await f.admin.call.put(`/users/${f.other.id}`, { admin: false });
    const over = { event: 'role', actor: f.admin.id, target: f.other.id, outcome: 'success' };
    expect(event(grant)).toMatchObject(recorded({ ...over, action: 'grant admin' }));
    expect(event(revoke)).toMatchObject(recorded({ ...over, action: 'revoke admin' }));
    const none = await f.admin.call.put(`/users/${f.other.id}`, { realName: 'x' });
    expect(event(none)).toBeUndefined();
  });

  it('LO-04: a refused write to another’s record is recorded', async () => {
    const put = await f.other.call.put(`/users/${f.owner.id}`, { realName: 'x' });
    const gone = await f.other.call.delete(`/users/${f.owner.id}`);
    for (const answer of [put, gone]) {
      expect(answer.status).toBe(403);
      expect(event(answer)).toMatchObject(
        recorded({ actor: f.other.id, target: f.owner.id, outcome: 'refused' }),
      );
    }
  });

  it('LO-04: a request of another site is recorded', async () => {
    const headers = { origin: 'https://evil.test' };
    const answer = await f.owner.call.put(`/users/${f.owner.id}`, { realName: 'x' }, { headers });
    expect(answer.status).toBe(403);
    expect(event(answer)).toMatchObject(recorded({ outcome: 'refused' }));
  });

  /** The line of an answered request, which is written a moment after the answer. */
  const lineOf = async (answer: Answer): Promise<Json> => {
    const id = answer.headers.get('x-request-id');
    const find = () => lines().filter(({ msg, requestId }) => msg === 'request' && requestId === id);
    for (let tries = 0; !find().length && tries < 1000; tries++) await sleep(10);
    expect(find()).toHaveLength(1);
    return find()[0] ?? {};
  };

  it('every answer can be found by its request id', async () => {
    const answers = [
      await f.anon.get('/users'),
      await f.anon.get('/nope'),
      await f.owner.call.get('/users/whoami'),
      await f.anon.post('/users', '{'),
    ];
    for (const answer of answers) {
      const line = await lineOf(answer);
      expect(line).toMatchObject({ status: answer.status, address: '127.0.0.1', ms: expect.any(Number) });
    }
  });

  it('the line of a request has who asked, for which record, and the code of the error', async () => {
    const about = async (answer: Answer) => {
      const { actor, record, error, status } = (await lineOf(answer)) as Record<string, unknown>;
      return { actor, record, error, status };
    };
    const actor = f.owner.id;
    const made = await f.owner.call.post('/dummythings', { name: 'made' });
    const record = String(propsOf(made).id);
    expect(record).toMatch(/^v/);
    expect(await about(made)).toEqual({ actor, record, status: 201 });
    const shared = await Promise.all(
      [1, 2, 3].map((n) => f.owner.call.post('/dummythings?includeMeta=true', { name: `n${n}` })),
    );
    for (const one of shared)
      expect(await about(one)).toEqual({ actor, record: String(propsOf(one).id), status: 201 });
    const path = `/dummythings/${record}`;
    expect(await about(await f.owner.call.put(path, { name: 'x' }))).toEqual({ actor, record, status: 200 });
    const refused = await f.other.call.put(path, { name: 'y' });
    const code = (refused.body.error as { code: number }).code;
    expect(await about(refused)).toEqual({ actor: f.other.id, record, error: code, status: refused.status });
    expect(await about(await f.owner.call.delete(path))).toEqual({ actor, record, status: 200 });
    const gone = await f.owner.call.get(path);
    expect(await about(gone)).toEqual({ actor, record, error: 404, status: 404 });

    // Nobody is the actor of a sign-up, and no record of one that fails.
    const person = { username: 'log9', realName: 'x', email: 'log9@mail.test', password: PASSWORD };
    const signed = await f.anon.post('/users', person);
    expect(await about(signed)).toEqual({ record: String(propsOf(signed).id), status: 201 });
    const again = await f.anon.post('/users', person);
    const { code: taken } = again.body.error as { code: number };
    expect(await about(again)).toEqual({ error: taken, status: again.status });
    // The id of a session is a secret; a list is of no record.
    const login = await f.anon.post('/sessions', { login: 'owner_u', password: PASSWORD });
    expect(await about(login)).toEqual({ status: 201 });
    expect(service.log.join('\n')).not.toContain(String(propsOf(login).id));
    expect(await about(await f.owner.call.get('/dummythings'))).toEqual({ actor, status: 200 });
  });
});
