import { failure } from '../../test/support/answers.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JSON_HEADERS, type Running, boot, handled, probe, send } from './spec-support.js';

let run: Running;
beforeAll(async () => {
  run = await boot({
    exists: (pattern, params) => !pattern.endsWith('/:relation') || params.relation === 'parts',
  });
});
afterAll(() => run.app.close());
beforeEach(() => {
  handled.length = 0;
});

const put = (body: string | Buffer, headers = JSON_HEADERS as Record<string, string>) =>
  send(run, 'PUT', '/api/v1/test', body, headers);

describe('the test endpoint', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])('answers %s with 200', async (method) => {
    const { status, json } = await send(
      run,
      method,
      '/api/v1/test?a=1&b=x+y&b=%C3%A4&__proto__=p',
      undefined,
      {},
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({ success: true, httpMethod: method });
    const { query, serverTime } = json as { query: object; serverTime: string };
    expect(serverTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.entries(query)).toEqual([
      ['a', '1'],
      ['b', ['x y', 'ä']],
      ['__proto__', 'p'],
    ]);
    expect(Object.hasOwn(json as object, 'body')).toBe(method === 'POST' || method === 'PUT');
  });

  it('echoes the body; of duplicate keys the last one counts; a byte order mark is dropped', async () => {
    expect((await put('\uFEFF{"a":1,"a":2,"constructor":{"x":null}}')).json).toMatchObject({
      body: { a: 2, constructor: { x: null } },
    });
  });

  it('takes a DELETE that names a content type but has no body', async () => {
    expect((await send(run, 'DELETE', '/api/v1/test')).status).toBe(200);
  });
});

describe('health', () => {
  it('is outside the versioned API', async () => {
    expect(await send(run, 'GET', '/health/live')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await send(run, 'GET', '/health/ready')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect((await send(run, 'GET', '/api/v1/health/live')).status).toBe(404);
  });

  it.each([
    ['false', () => Promise.resolve(false)],
    ['rejecting', () => Promise.reject(new Error('down'))],
    [
      'throwing',
      () => {
        throw new Error('down');
      },
    ],
    ['hanging', () => new Promise<boolean>(() => undefined)],
  ])('is 503 within 3 s when the probe is %s', async (_name, ready) => {
    const before = probe.ready;
    probe.ready = ready;
    const start = Date.now();
    expect(await send(run, 'GET', '/health/ready')).toMatchObject({ status: 503, json: failure(503) });
    expect(Date.now() - start).toBeLessThan(3000);
    probe.ready = before;
  });
});

describe('unknown routes', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/v2/test'],
    ['POST', '/api/v1/nope'],
    ['PATCH', '/nope'],
    ['PROPFIND', '/nope'],
    ['OPTIONS', '/nope'],
    ['GET', '/api/v1/test/'],
    ['GET', '/API/v1/test'],
    ['GET', '/package.json'],
    ['GET', '/api/v1/things//parts'],
    ['DELETE', '/api/v1/things/x/nope'],
    ['OPTIONS', '/api/v1/things/x/nope'],
  ])('%s %s is 404', async (method, path) => {
    expect(await send(run, method, path, undefined, { accept: 'text/html' })).toMatchObject({
      status: 404,
      json: failure(404),
    });
  });

  it('are 404 also with a body that can’t be read', async () => {
    expect((await send(run, 'POST', '/nope', '{', {})).status).toBe(404);
  });

  it('are not reached by encoded separators', async () => {
    expect((await send(run, 'GET', '/api/v1/things/a%2fparts')).json).toEqual({ id: 'a/parts' });
    expect(
      (await run.raw('GET /api/v1/../../package.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).text,
    ).toContain('HTTP/1.1 404');
  });
});

describe('methods', () => {
  it('answers a known path with another method 405 and Allow', async () => {
    const { status, json, headers } = await send(run, 'PATCH', '/api/v1/test', 'x', {
      'content-type': 'text/plain',
    });
    expect({ status, json }).toMatchObject({ status: 405, json: failure(405) });
    expect(headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, POST, PUT');
    expect((await send(run, 'PROPFIND', '/api/v1/test')).status).toBe(405);
    expect((await send(run, 'DELETE', '/api/v1/things/x/parts')).status).toBe(405);
  });

  it('does not take a static path for a parameter of another method', async () => {
    const { status, headers } = await send(run, 'GET', '/api/v1/things/x/import');
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'OPTIONS, PUT' });
  });

  it('answers OPTIONS with 204, Allow and no CORS headers', async () => {
    const response = await run.fetch('/api/v1/things/x', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'PUT' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('treats HEAD like GET, without a body', async () => {
    const get = await run.fetch('/api/v1/things/x');
    const head = await run.fetch('/api/v1/things/x', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([get.status, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await run.fetch('/nope', { method: 'HEAD' })).status).toBe(404);
  });

  it('knows no method override', async () => {
    const override = { ...JSON_HEADERS, 'x-http-method-override': 'GET' };
    expect((await send(run, 'POST', '/api/v1/things/x?_method=GET', '{}', override)).status).toBe(405);
    expect(handled).toEqual([]);
  });
});
