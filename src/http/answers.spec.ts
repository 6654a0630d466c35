import { failure } from '../../test/support/answers.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JSON_HEADERS, type Running, boot, send } from './spec-support.js';
import { MAX_PARAMETERS } from './query.js';

let run: Running;
beforeAll(async () => {
  run = await boot();
});
afterAll(() => run.app.close());

describe('URLs', () => {
  it.each(['/api/v1/things/%FF', '/api/v1/things/%zz', '/api/v1/things/%', '/api/v1/%ff'])(
    '%s is 400',
    async (path) => {
      const { text } = await run.raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1.1 400 /);
      expect(text).toContain('{"error":{"code":400,');
      expect(text.toLowerCase()).toContain('x-content-type-options: nosniff');
    },
  );

  it.each(['a=%E0%A4%A', 'a=%', '%ff=1', 'a=%00', 'a=%ED%A0%80', 'a=%zz', 'a&'.repeat(MAX_PARAMETERS + 1)])(
    '?%s is 400',
    async (query) => {
      expect(await send(run, 'GET', `/api/v1/test?${query}`, undefined, {})).toMatchObject({
        status: 400,
        json: failure(400),
      });
    },
  );
});

describe('failures', () => {
  it.each(['null', 'secret', 'circular'])('says nothing about an unexpected one (%s)', async (path) => {
    const { status, json, headers } = await send(run, 'POST', `/api/v1/things/${path}`, '{}');
    expect({ status, json }).toEqual({ status: 500, json: failure(500, headers.get('x-request-id')) });
    expect(JSON.stringify(json)).not.toMatch(/s3cr3t|Error|stack|circular/);
    const id = headers.get('x-request-id') ?? '';
    expect(run.lines.filter((line) => line.includes(id) && line.includes('"level":"error"'))).not.toEqual([]);
  });

  it('carries warnings and headers', async () => {
    const { status, json, headers } = await send(run, 'POST', '/api/v1/things/warned', '{}');
    expect({ status, json }).toEqual({
      status: 422,
      json: {
        ...failure(441, 'name'),
        warnings: [{ code: 442, message: 'size is too large', data: 'size' }],
      },
    });
    expect(headers.get('x-extra')).toBe('yes');
  });
});

describe('every answer', () => {
  it.each([
    ['GET', '/api/v1/test'],
    ['GET', '/nope'],
    ['PATCH', '/api/v1/test'],
    ['OPTIONS', '/api/v1/test'],
    ['GET', '/api/v1/test?a=%'],
    ['POST', '/api/v1/things/null'],
  ])('%s %s has the safe headers, our request id and no banner', async (method, path) => {
    const { headers, status } = await send(run, method, path, undefined, {
      'x-request-id': 'theirs',
      'request-id': 'theirs',
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    if (status !== 204) expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('the log', () => {
  it('has one line for a request: the pattern, never the URL, headers or body', async () => {
    run.lines.length = 0;
    const secret = 'Tr0ub4dor';
    await send(run, 'PUT', `/api/v1/test?token=${secret}`, JSON.stringify({ password: secret }), {
      ...JSON_HEADERS,
      cookie: `appSessionId=${secret}`,
      authorization: secret,
    });
    await send(run, 'GET', `/api/v1/things/${secret}`);
    await send(run, 'GET', `/nope/${secret}`);
    await send(run, 'GET', `/api/v1/things/${secret}?x=%`);
    await send(run, 'POST', `/api/v1/things/null?x=${secret}`, '{}');
    await run.raw(`GET /${secret}%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await run.raw(`GET /${secret} HTTP/9\r\n\r\n`);
    expect(run.lines.join('')).not.toContain(secret);
    const lines = run.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(6);
    expect(lines[0]).toMatchObject({
      level: 'info',
      method: 'PUT',
      route: '/api/v1/test',
      status: 200,
      address: '127.0.0.1',
      requestId: expect.any(String),
      ms: expect.any(Number),
    });
  });
});
