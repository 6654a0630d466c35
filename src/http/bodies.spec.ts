import { failure } from '../../test/support/answers.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JSON_HEADERS, type Running, boot, handled, send } from './spec-support.js';

let run: Running;
beforeAll(async () => {
  run = await boot();
});
afterAll(() => run.app.close());
beforeEach(() => {
  handled.length = 0;
});

const put = (body: string | Buffer, headers = JSON_HEADERS as Record<string, string>) =>
  send(run, 'PUT', '/api/v1/test', body, headers);

describe('bodies', () => {
  it.each(['{"a":', "{'a':'x'}", '{"a":1,}', '{"a":1}{"b":2}', '{"a":01}', 'null', '"x"', '5', '[]', ' '])(
    'refuses %s with 400',
    async (body) => {
      const { status, json } = await put(body);
      expect({ status, json }).toEqual({ status: 400, json: failure(400) });
      expect(JSON.stringify(json)).not.toMatch(/position|token|JSON at|SyntaxError/);
    },
  );

  it('answers an empty JSON body with 441', async () => {
    expect(await put('')).toMatchObject({ status: 422, json: failure(441) });
  });

  it.each([
    ['NUL', '{"bio":"a\\u0000b"}'],
    ['NUL in a nested key', '{"bio":{"k\\u0000":1}}'],
    ['a lone surrogate', '{"bio":"x\\ud800y"}'],
    ['a lone surrogate in an array', '{"bio":[["\\udfff"]]}'],
    ['depth', `{"bio":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('refuses %s with 400 and names the key', async (_name, body) => {
    const { status, json } = await put(body);
    expect({ status, json }).toEqual({ status: 400, json: failure(400) });
    expect((json as { error: { message: string } }).error.message).toContain('bio');
  });

  it('refuses __proto__ at any depth, and pollutes nothing', async () => {
    expect((await put('{"__proto__":{"admin":true}}')).status).toBe(400);
    expect((await put('{"a":[{"__proto__":1}]}')).status).toBe(400);
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  it('refuses invalid UTF-8 with 400', async () => {
    expect((await put(Buffer.from('7b2262696f223a22c328227d', 'hex'))).status).toBe(400);
  });

  it('keeps the connection after a body that could be read', async () => {
    const broken =
      'PUT /api/v1/test HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{';
    const { text } = await run.raw(
      `${broken}GET /api/v1/test HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json ;x',
    'application/json\t; charset=utf-8',
    'application/json,text/plain',
    'text/plain; application/json',
    'application/jsonx',
    'application/vnd.api+json',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/json;',
    'x',
    'multipart/form-data',
  ])('refuses the content type %j with 415', async (type) => {
    const { text } = await run.raw(
      `PUT /api/v1/test HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: 7\r\n\r\n{"a":1}`,
    );
    expect(text).toMatch(/^HTTP\/1.1 415 /);
    expect(text).toContain('{"error":{"code":415,');
  });

  it('refuses a body without a content type, and takes none at all', async () => {
    expect((await put(Buffer.from('{"a":1}'), {})).status).toBe(415);
    expect(await send(run, 'PUT', '/api/v1/test', undefined, {})).toMatchObject({
      status: 200,
      json: { body: {} },
    });
  });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
  ])('takes the content type %s', async (type) => {
    expect((await put('{"a":1}', { 'content-type': type })).status).toBe(200);
  });
});

describe('large requests', () => {
  it('answers a body over the limit 413 although the client is still sending', async () => {
    expect(await put(`{"a":"${'a'.repeat(20 * 1024 * 1024)}"}`)).toMatchObject({
      status: 413,
      json: failure(413, 100_000),
    });
  });

  it('answers a declared length over the limit at once', async () => {
    const { text, closed } = await run.raw(
      'PUT /api/v1/test HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5368709120\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(closed).toBe(true);
  });

  it('cuts off a chunked body that does not end', async () => {
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`.repeat(8);
    const head =
      'PUT /api/v1/test HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const { text, closed } = await run.raw(head + chunk);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(closed).toBe(true);
  });

  it('executes nothing that follows a body which it did not read', async () => {
    const next = 'GET /api/v1/things/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
    const { text } = await run.raw(
      `PUT /api/v1/test HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 200000\r\n\r\n${'a'.repeat(200_000)}${next}`,
    );
    expect(text.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(handled).toEqual([]);
  });

  it.each([9000, 20_000, 60_000])('answers a URL of %d characters 414', async (length) => {
    const { text } = await run.raw(
      `GET /api/v1/test?${'a'.repeat(length)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 414 /);
    expect(text).toContain('{"error":{"code":414,');
  });

  it('answers headers over the limit 431', async () => {
    const { text, closed } = await run.raw(
      `GET /api/v1/test HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(60_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 431 /);
    expect(text).toContain('{"error":{"code":431,');
    expect(closed).toBe(true);
  });

  it('answers a parameter that is too long to be an id 404', async () => {
    expect((await send(run, 'GET', `/api/v1/things/${'a'.repeat(600)}`)).status).toBe(404);
  });
});
