import { failure, propsOf, warningsAbout } from '../support/answers.js';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_KINDS } from '../kinds/kinds.js';
import { type Fixture, PASSWORD, resetFixture } from '../support/fixture.js';
import { quick } from '../support/quick.js';
import { startTestService, type TestService } from '../support/service.js';
import { jsonOf, sendRequest, sendBytes } from '../support/raw-requests.js';

/* Routes, bodies and connections, as the whole service answers. */

const LIMITS = { headersTimeout: 1000, requestTimeout: 2000, checkInterval: 200 };

let service: TestService;
let people: Fixture;
beforeAll(async () => {
  service = await startTestService({ kinds: TEST_KINDS, template: 'kinds', limits: LIMITS });
});
afterAll(() => service.stop());
beforeEach(async () => {
  people = await resetFixture(service);
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
  ] as const)('%s %s is 404 in the envelope', async (method, path, as) => {
    const answer = await people[as].send(method, path, method === 'POST' ? { body: { a: 1 } } : {});
    expect(answer).toMatchObject({ status: 404, body: failure(404) });
  });

  it('an unknown relation is 404 for every method, and does nothing', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'POST', 'PATCH']) {
      const answer = await people.owner.call.send(method, `/users/${people.owner.id}/nope`);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('other methods on known paths are 405 with Allow', async () => {
    for (const [method, path] of [
      ['PATCH', '/users'],
      ['DELETE', '/users'],
      ['PUT', '/users'],
      ['POST', `/users/${people.owner.id}`],
      ['POST', '/users/whoami'],
      ['DELETE', `/users/${people.owner.id}/apikeys`],
      ['PUT', '/sessions'],
      ['PATCH', '/test'],
    ] as const) {
      const answer = await people.owner.call.send(method, path);
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      const allow = answer.headers.get('allow') ?? '';
      expect(allow).not.toContain(method);
      expect(allow).not.toBe('');
    }
  });

  it('there is no method override', async () => {
    const path = `/apikeys/${people.owner.key.id}`;
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-http-method': 'DELETE',
    };
    expect((await people.owner.call.post(path, {}, { headers })).status).toBe(405);
    const read = await people.owner.call.get(`${path}?_method=DELETE`, { headers });
    expect([read.status, warningsAbout(read), read.body.meta]).toEqual([200, ['_method'], undefined]);
    expect((await people.owner.call.post(`${path}?_method=DELETE`, {})).status).toBe(405);
    expect((await people.owner.call.put(path, { _method: 'DELETE' })).status).toBe(200);
    expect((await people.owner.call.get(path)).status).toBe(200);
  });

  it('encoded separators in ids reach no other route', async () => {
    const paths = [
      `/api/v1/users/${people.owner.id}%2fapikeys`,
      `/api/v1/users/${people.owner.id}%2Fapikeys`,
      '/api/v1/users/..%2ftopics',
      '/api/v1/users/%2e%2e/dummytopics',
      '/api/v1/users/../dummytopics',
      `/api/v1/users/${people.owner.id}%3fincludeMeta=true`,
      `/api/v1/users/${people.owner.id}%23x`,
      `/api/v1/users/${people.owner.id};a=b`,
      `/api/v1/users/${people.owner.id}%20`,
      `/api/v1/users/%09${people.owner.id}`,
      '/api/v1/users/%77hoami',
      '/api/v1/%75sers%2fwhoami',
    ];
    for (const path of paths) {
      for (const person of [people.owner, people.other]) {
        const answer = await sendRequest(service.url, `GET ${path}`, [cookie(person)]);
        // A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); that one is the route itself.
        const expected = path.endsWith('%77hoami') ? [200, 400, 404] : [400, 404];
        expect([path, expected.includes(answer.statuses[0] ?? 0)]).toEqual([path, true]);
        if (answer.statuses[0] !== 200)
          expect(jsonOf(answer)).toMatchObject({ error: { code: answer.statuses[0] } });
        expect(answer.text).not.toMatch(/"alpha"|"title"|owner\.secret.*other\.secret/);
      }
    }
  });

  it('HEAD has the status of GET and no body, and OPTIONS has no effect', async () => {
    for (const [call, path, status] of [
      [people.anon, `/users/${people.owner.id}`, 200],
      [people.owner.call, '/users/whoami', 200],
      [people.anon, '/users/whoami', 401],
      // No cron jobs yet: topics are for roles alone.
      [people.other.call, '/dummytopics', 403],
      [people.anon, '/dummytopics', 401],
      [people.admin.call, '/dummytopics', 200],
      [people.other.call, `/apikeys/${people.owner.key.id}`, 404],
      [people.anon, '/nope', 404],
      [people.anon, '/users?page=0', 422],
    ] as const) {
      const get = await call.get(path);
      const head = await call.send('HEAD', path);
      expect([path, get.status, head.status, head.text]).toEqual([path, status, status, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    }
    for (const path of [
      `/users/${people.owner.id}`,
      '/users',
      '/sessions',
      `/users/${people.owner.id}/apikeys`,
    ]) {
      const answer = await people.owner.call.send('OPTIONS', path);
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
      expect(answer.headers.get('allow')).toContain('OPTIONS');
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('links do not repeat a forged host', async () => {
    const headers = [
      'x-forwarded-host: evil.test',
      'x-forwarded-proto: https',
      'forwarded: host=evil.test',
      'x-original-url: /evil.test',
    ];
    const paths = [
      `/api/v1/users/${people.owner.id}?includeLinks=true&includeMeta=true`,
      '/api/v1/users?includeLinks=true',
      '/api/v1/users/nope',
      '/nope',
    ];
    for (const path of paths) {
      const answer = await sendRequest(service.url, `GET ${path}`, headers, '', 'evil.test');
      expect([200, 400, 404, 421]).toContain(answer.statuses[0]);
      expect(answer.text).not.toContain('evil.test');
    }
    const links = (await people.anon.get(`/users/${people.owner.id}?includeLinks=true`)).body.links as Record<
      string,
      { href: string }
    >;
    expect(Object.keys(links)).toEqual(expect.arrayContaining(['self', 'base', 'apikeys']));
    for (const { href } of Object.values(links)) expect(href).toMatch(/^\/api\/v1\/(?!\/)/);
    const signUp = await sendRequest(
      service.url,
      'POST /api/v1/users',
      [...headers, JSON_TYPE],
      JSON.stringify({ username: 'forged', email: 'forged@mail.test', password: PASSWORD }),
      'evil.test',
    );
    expect(signUp.text).not.toContain('evil.test');
  });

  it('answers are JSON, whatever Accept says', async () => {
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
        const answer = await people.anon.get(path, { headers: { accept } });
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
  ] as const)('broken JSON %j', async (body, code) => {
    const paths = ['/sessions', '/users', '/apikeys'];
    for (const path of paths) {
      for (const call of [people.anon, people.owner.call]) {
        const answer = await sendRequest(
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

  it.each(['null', '"x"', '5', '[]', 'true', '[{"realName":"x"}]'])('%s is no object', async (body) => {
    for (const answer of [
      await people.owner.call.put(`/users/${people.owner.id}`, body),
      await people.anon.post('/users', body),
      await people.anon.post('/sessions', body),
      await people.owner.call.post('/dummythings', body),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: failure(400) });
    }
    expect(propsOf(await people.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
  });

  it('an empty object changes nothing', async () => {
    const before = await people.owner.call.get(`/users/${people.owner.id}`);
    const answer = await people.owner.call.put(`/users/${people.owner.id}`, {});
    expect([answer.status, propsOf(answer)]).toEqual([200, propsOf(before)]);
    expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('large bodies are refused before they are read, chunked or not', async () => {
    const large = await people.owner.call.put(`/users/${people.owner.id}`, {
      realName: 'a'.repeat(20 * 1024 * 1024),
    });
    expect(large).toMatchObject({ status: 413, body: failure(413, 1024 * 1024) });
    const head = `PUT /api/v1/users/${people.owner.id} HTTP/1.1\r\nhost: x\r\n${cookie(people.owner)}\r\n${JSON_TYPE}\r\n`;
    const declared = await sendBytes(service.url, `${head}content-length: 5368709120\r\n\r\n`, 5000);
    expect(declared).toMatchObject({ statuses: [413], closed: true });
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const endless = await sendBytes(
      service.url,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
      5000,
    );
    expect(endless).toMatchObject({ statuses: [413], closed: true });
    // Silence after the headers: cut off by the request timeout.
    const silent = await sendBytes(service.url, `${head}content-length: 100\r\n\r\n{"realName":`, 6000);
    expect(silent.closed).toBe(true);
    const next = await people.anon.get('/users?itemsPerPage=1');
    expect(next.status).toBe(200);
    expect(propsOf(await people.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
  });

  it('the last of duplicate keys counts, in every part of the service', async () => {
    const path = `/users/${people.owner.id}`;
    expect(
      propsOf(await people.owner.call.put(path, '{"realName":"first","realName":"second"}')).realName,
    ).toBe('second');
    expect(propsOf(await people.owner.call.get(path)).realName).toBe('second');
    // The last one is judged, not the first.
    const long = 'x'.repeat(61);
    expect((await people.owner.call.put(path, `{"realName":"ok","realName":"${long}"}`)).status).toBe(422);
    expect(
      propsOf(await people.owner.call.put(path, `{"realName":"${long}","realName":"ok"}`)).realName,
    ).toBe('ok');
    for (const body of [
      '{"admin":false,"admin":true}',
      '{"admin":true,"\\u0061dmin":true}',
      '{"admin":true,"admin":false}', // the last one is what it is already
    ]) {
      const answer = await people.other.call.put(`/users/${people.other.id}`, body);
      expect([answer.status, warningsAbout(answer)]).toEqual([200, body.endsWith('true}') ? ['admin'] : []]);
      expect(propsOf(await people.admin.call.get(`/users/${people.other.id}`))).toMatchObject({
        admin: false,
      });
    }
  });

  it('a DELETE with a body, and a GET with one, are what they are without', async () => {
    const headers = [cookie(people.owner), JSON_TYPE];
    const read = await sendRequest(service.url, 'GET /api/v1/users/whoami', headers, '{"a":1}');
    expect(read.statuses[0]).toBe(200);
    expect(jsonOf(read)).toMatchObject({ props: { id: people.owner.id } });
    const gone = await sendRequest(
      service.url,
      `DELETE /api/v1/apikeys/${people.owner.key.id}`,
      headers,
      '{"a":1}',
    );
    expect(gone.statuses).toEqual([200]);
  });
});

describe('connections', () => {
  it('ambiguous framing is 400, and the hidden request is not executed', async () => {
    const hidden = `DELETE /api/v1/apikeys/${people.owner.key.id} HTTP/1.1\r\nhost: x\r\n${cookie(people.owner)}\r\n\r\n`;
    const post = `POST /api/v1/dummythings HTTP/1.1\r\nhost: x\r\n${cookie(people.owner)}\r\n${JSON_TYPE}\r\n`;
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
      const answer = await sendBytes(service.url, bytes, 4000);
      expect([bytes.slice(0, 400), answer.statuses, answer.closed]).toEqual([
        bytes.slice(0, 400),
        [400],
        true,
      ]);
      expect(jsonOf(answer)).toEqual(failure(400));
      expect(answer.text).not.toMatch(BANNER);
    }
    expect((await people.owner.call.get(`/apikeys/${people.owner.key.id}`)).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
  });

  it('pipelined requests are answered in order, each for itself', async () => {
    const get = (who: string, close = '') =>
      `GET /api/v1/users/whoami HTTP/1.1\r\nhost: x\r\n${who}${close}\r\n`;
    const bytes =
      get(`${cookie(people.owner)}\r\n`) +
      get('') +
      get(`${cookie(people.other)}\r\n`, 'connection: close\r\n');
    const answer = await sendBytes(service.url, bytes, 4000);
    expect(answer.statuses).toEqual([200, 401, 200]);
    expect(answer.text.indexOf('owner_u')).toBeLessThan(answer.text.indexOf('other_u'));
    expect(answer.text.match(/owner_u/g)?.length).toBe(answer.text.match(/other_u/g)?.length);
  });

  it('slow clients are cut off, and nobody waits for them', async () => {
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
        `PUT /api/v1/users/${people.owner.id} HTTP/1.1\r\nhost: x\r\n${cookie(people.owner)}\r\n${JSON_TYPE}\r\ncontent-length: 5000\r\n\r\n{"realName":"`,
      );
    }
    let open = true;
    const all = Promise.all(ends).finally(() => (open = false));
    let asked = 0;
    while (open) {
      const start = Date.now();
      expect((await people.anon.get('/users?itemsPerPage=1')).status).toBe(200);
      expect(Date.now() - start).toBeLessThan(quick(1000));
      asked++;
      await sleep(100);
      expect(asked).toBeLessThan(200);
    }
    const times = await all;
    expect(Math.max(...times)).toBeLessThan(20_000);
    // Not at once, either: a client may be slow within the limits.
    expect(Math.min(...times)).toBeGreaterThan(800);
    expect(propsOf(await people.owner.call.get('/users/whoami')).realName).toBe('Olive Owner');
    for (const socket of sockets) socket.destroy();
  });

  it('a client that hangs up leaves nothing behind', async () => {
    const body = JSON.stringify({ name: 'cut' });
    const head = `POST /api/v1/dummythings HTTP/1.1\r\nhost: x\r\n${cookie(people.owner)}\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n`;
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
          socket.write(head + body.slice(0, -3), () => socket.resetAndDestroy());
        });
        socket.on('close', () => resolve()).on('error', () => undefined);
      });
    }
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
    expect(await service.sql('SELECT 1 FROM dummythings')).toEqual([]);
  });
});
