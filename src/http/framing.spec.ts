import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HTTP_LIMITS } from './limits.js';
import { type Running, boot, gate, handled } from './spec-support.js';

let run: Running;
beforeAll(async () => {
  run = await boot({ limits: { headersTimeout: 300, requestTimeout: 800, checkInterval: 100 } });
});
afterAll(() => run.app.close());
beforeEach(() => {
  handled.length = 0;
});

const SMUGGLED = 'GET /api/v1/things/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
const PUT = 'PUT /api/v1/test HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

const things = (...ids: string[]) =>
  ids.map((id) => `GET /api/v1/things/${id} HTTP/1.1\r\nhost: x\r\n\r\n`).join('');

describe('ambiguous framing', () => {
  it.each([
    [
      'both Content-Length and Transfer-Encoding',
      `${PUT}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'both, the other way round',
      `${PUT}transfer-encoding: chunked\r\ncontent-length: 6\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['two different Content-Lengths', `${PUT}content-length: 2\r\ncontent-length: 50\r\n\r\n{}${SMUGGLED}`],
    ['a Content-Length that is no number', `${PUT}content-length: 2x\r\n\r\n{}${SMUGGLED}`],
    ['a negative Content-Length', `${PUT}content-length: -2\r\n\r\n{}${SMUGGLED}`],
    ['an unknown transfer coding', `${PUT}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunked not last', `${PUT}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    [
      'a chunk size that is no number',
      `${PUT}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['a bare LF after a header', `GET /api/v1/test HTTP/1.1\r\nhost: x\nx-a: b\r\n\r\n${SMUGGLED}`],
    ['bare LFs only', `GET /api/v1/test HTTP/1.1\nhost: x\n\n${SMUGGLED}`],
    ['a blank before the colon', `GET /api/v1/test HTTP/1.1\r\nhost : x\r\n\r\n${SMUGGLED}`],
    ['a folded header', `GET /api/v1/test HTTP/1.1\r\nhost: x\r\n x-a: b\r\n\r\n${SMUGGLED}`],
    ['a NUL in a header', `GET /api/v1/test HTTP/1.1\r\nhost: x\r\nx-a: \0\r\n\r\n${SMUGGLED}`],
    ['no HTTP at all', `hello\r\n\r\n${SMUGGLED}`],
    ['an unknown version', `GET / HTTP/3.7\r\nhost: x\r\n\r\n${SMUGGLED}`],
  ])('%s: 400 in the envelope, closed, and nothing that follows is executed', async (_name, bytes) => {
    const { text, closed } = await run.raw(bytes, 3000);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('{"error":{"code":400,');
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(closed).toBe(true);
    expect(handled).toEqual([]);
  });

  it.each([
    ['no Host', 'GET /api/v1/test HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['two Hosts', 'GET /api/v1/test HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n'],
  ])('%s: 400 in the envelope', async (_name, bytes) => {
    const { text } = await run.raw(bytes);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('{"error":{"code":400,');
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 3],
    [
      'a request with a body that is none',
      `${PUT}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      3,
    ],
    ['a request with broken headers', `GET /api/v1/things/4 HTTP/1.1\r\nhost : x\r\n\r\n`, 3],
  ])('%s behind others: they are answered, and then it is refused', async (_name, broken, before) => {
    run.lines.length = 0;
    const { text, closed } = await run.raw(`${things('1', '2', '3')}${broken}${SMUGGLED}`, 3000);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...Array.from({ length: before }, () => 200), 400]);
    expect(closed).toBe(true);
    expect(handled).toEqual(['read 1', 'read 2', 'read 3']);
    const refused = run.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.msg === 'connection refused');
    const [, id] = /x-request-id: (\S+)\r\n(?![^]*x-request-id)/i.exec(text) ?? [];
    expect(refused).toMatchObject([{ status: 400, requestId: id }]);
  });

  it('more requests than may wait: those that do are answered, and the rest of the packet is not read', async () => {
    const few = await boot({ limits: { requestsWaiting: 5 } });
    try {
      let read = 0;
      few.app.getHttpServer().on('request', () => read++);
      const ids = Array.from({ length: 1000 }, (_, i) => `${i}`);
      const { text, closed } = await few.raw(things(...ids), 3000);
      expect(handled).toEqual(ids.slice(0, 6).map((id) => `read ${id}`));
      expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(6);
      expect(text.toLowerCase().match(/connection: close/g)).toHaveLength(1);
      expect(closed).toBe(true);
      expect(read).toBeLessThan(10);
    } finally {
      await few.app.close();
    }
  });

  it('takes HTTP/1.0 without a Host, and an unknown expectation', async () => {
    expect((await run.raw('GET /api/v1/test HTTP/1.0\r\n\r\n')).text).toMatch(/ 200 /);
    expect(
      (await run.raw('GET /api/v1/test HTTP/1.1\r\nhost: x\r\nexpect: x\r\nconnection: close\r\n\r\n')).text,
    ).toMatch(/ 200 /);
  });

  it.each(['GET * HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET http://other.test/nope HTTP/1.1'])(
    '%s is 404',
    async (line) => {
      expect((await run.raw(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`)).text).toMatch(
        /^HTTP\/1\.1 40[04] .*\{"error":/s,
      );
    },
  );
});

describe('limits', () => {
  it('are those that the service ships, unless a test asks for others', async () => {
    const shipped = await boot();
    try {
      const { headersTimeout, requestTimeout, keepAliveTimeout } = shipped.app.getHttpServer();
      expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
        headersTimeout: 30_000,
        requestTimeout: 120_000,
        keepAliveTimeout: 72_000, // longer than balancers keep theirs
      });
    } finally {
      await shipped.app.close();
    }
    expect(HTTP_LIMITS).toEqual({
      urlLength: 8192,
      headerBytes: 32_768,
      headersTimeout: 30_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 72_000,
      unreadBytes: 67_108_864,
      unreadBytesOfOne: 16_777_216,
      unparsedBytes: 67_108_864,
      largeBodyBytes: 65_536,
      requestsAtOnce: 1,
      requestsWaiting: 100,
      uploadWindow: 30_000,
      uploadBytes: 65_536,
      checkInterval: 5000,
      stopGrace: 10_000,
      responseWindow: 30_000,
      responseBytes: 65_536,
      paramLength: 512,
    });
  });
});

describe('connections', () => {
  /** A connection that is open, and was not closed at once. */
  const open = async (port: number): Promise<Socket | null> => {
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<null>((resolve) => {
      socket.on('error', () => resolve(null)).on('close', () => resolve(null));
    });
    const answered = new Promise<Socket>((resolve) => socket.once('data', () => resolve(socket)));
    socket.write('GET /api/v1/things/1 HTTP/1.1\r\nhost: x\r\n\r\n');
    return Promise.race([closed, answered]);
  };
  const closing = async (socket: Socket | null | undefined, port: number): Promise<Socket> => {
    socket?.destroy();
    for (const end = Date.now() + 30_000; Date.now() < end;) {
      const next = await open(port);
      if (next) return next;
    }
    throw new Error('There is no room again.');
  };

  it.each([
    ['of one address', { maxConnectionsPerAddress: 2 }],
    ['in all', { maxConnections: 2 }],
    ['in all, also of a proxy that is trusted', { maxConnections: 2, trustProxy: ['127.0.0.1'] }],
  ])('beyond the limit %s are closed and logged, until there is room', async (_name, bounds) => {
    const few = await boot(bounds);
    const sockets: (Socket | null)[] = [];
    try {
      for (let i = 0; i < 4; i++) sockets.push(await open(few.port));
      expect(sockets.map((socket) => socket !== null)).toEqual([true, true, false, false]);
      expect(few.lines.filter((line) => line.includes('too many connections'))).toHaveLength(1);
      sockets.push(await closing(sockets[0], few.port));
      expect(await open(few.port)).toBeNull();
    } finally {
      for (const socket of sockets) socket?.destroy();
      await few.app.close();
    }
  });

  it('of a proxy that is trusted are not counted as those of one address', async () => {
    const proxied = await boot({ maxConnectionsPerAddress: 2, trustProxy: ['127.0.0.1'] });
    const sockets = await Promise.all([1, 2, 3, 4].map(() => open(proxied.port)));
    try {
      expect(sockets.every((socket) => socket !== null)).toBe(true);
    } finally {
      for (const socket of sockets) socket?.destroy();
      await proxied.app.close();
    }
  });

  it('that end take along the requests on them that have not begun', async () => {
    let free: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (free = resolve));
    gate.opened = () => opened;
    const gone = connect(run.port, '127.0.0.1');
    try {
      gone.write('GET /api/v1/things/held HTTP/1.1\r\nhost: x\r\n\r\n' + things('1', '2', '3'));
      for (const end = Date.now() + 30_000; !handled.length && Date.now() < end;) await sleep(5);
      gone.destroy();
      // The service hears of it before it hears of this.
      expect((await run.fetch('/api/v1/things/after')).status).toBe(200);
      free();
      expect((await run.fetch('/api/v1/things/later')).status).toBe(200);
      expect(handled).toEqual(['held', 'read after', 'read later']);
    } finally {
      free();
      gone.destroy();
      gate.opened = () => Promise.resolve();
    }
  });
});

describe('slow clients', () => {
  /** Sends `start`, then a byte every 50 ms; gives the milliseconds until the connection ends. */
  const drip = (start: string) =>
    new Promise<number>((resolve) => {
      const began = Date.now();
      const socket = connect(run.port, '127.0.0.1', () => socket.write(start));
      const timer = setInterval(() => socket.write('a'), 50);
      socket.on('error', () => undefined).resume();
      socket.on('close', () => {
        clearInterval(timer);
        resolve(Date.now() - began);
      });
    });

  it('are cut off in the headers, in the body, and when they send nothing', async () => {
    const silent = new Promise<number>((resolve) => {
      const began = Date.now();
      connect(run.port, '127.0.0.1')
        .on('close', () => resolve(Date.now() - began))
        .resume();
    });
    const times = [drip('GET / HTTP/1.1\r\nx-a: '), drip(`${PUT}content-length: 1000\r\n\r\n`), silent];
    for (const time of await Promise.all(times)) expect(time).toBeLessThan(3000);
    expect((await run.fetch('/api/v1/test')).status).toBe(200);
  });
});

describe('CORS', () => {
  it('admits the configured origins only', async () => {
    const other = await boot({ corsOrigins: ['https://app.test'] });
    try {
      const call = (origin: string, method = 'OPTIONS', path = '/api/v1/test') =>
        other.fetch(path, { method, headers: { origin, 'access-control-request-method': 'PUT' } });
      const good = await call('https://app.test');
      expect(good.status).toBe(204);
      expect(good.headers.get('access-control-allow-origin')).toBe('https://app.test');
      expect(good.headers.get('access-control-allow-credentials')).toBe('true');
      expect(
        (await call('https://app.test', 'GET', '/nope')).headers.get('access-control-allow-origin'),
      ).toBe('https://app.test');
      expect((await call('https://app.test', 'GET', '/%')).headers.get('access-control-allow-origin')).toBe(
        'https://app.test',
      );
      expect((await call('https://evil.test', 'GET', '/%')).headers.get('access-control-allow-origin')).toBe(
        null,
      );
      for (const origin of ['https://evil.test', 'null', 'https://app.test.evil.test']) {
        for (const method of ['OPTIONS', 'GET']) {
          const { headers, status } = await call(origin, method);
          expect(status).toBe(method === 'GET' ? 200 : 204);
          expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
        }
      }
      expect((await call('https://evil.test', 'OPTIONS', '/nope')).status).toBe(404);
    } finally {
      await other.app.close();
    }
  });
});

describe('the address of the client', () => {
  it.each<[string, boolean | number | string[], string]>([
    ['nobody is trusted', false, '127.0.0.1'],
    ['one proxy is trusted', 1, '2.2.2.2'],
    ['two proxies are trusted', 2, '1.1.1.1'],
    ['the proxy is listed', ['127.0.0.0/8'], '2.2.2.2'],
    ['another proxy is listed', ['10.0.0.0/8'], '127.0.0.1'],
    ['everyone is trusted', true, '1.1.1.1'],
  ])('when %s', async (_name, trustProxy, address) => {
    const other = await boot({ trustProxy });
    other.lines.length = 0;
    try {
      await other.fetch('/api/v1/test', { headers: { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' } });
    } finally {
      await other.app.close();
    }
    const line = other.lines.find((entry) => entry.includes('"request"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ address });
  });
});
