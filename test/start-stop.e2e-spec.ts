import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDatabase, sql } from './support/database.js';
import { type LogTo, type ServiceProcess, startProcess } from './support/service-process.js';

/*
 * The service as a process: how it starts, is interrupted, and stops.
 */

let database: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: string;
const running: ServiceProcess[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  database = await createDatabase('plain');
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-start-stop-'));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ ended }) => ended));
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}, log: LogTo = 'ignore'): ServiceProcess {
  const service = startProcess({ DATABASE_URL: database.url, DATA_DIR: dataDir, ...env }, log);
  running.push(service);
  return service;
}

/** A connection that has sent so much, and all that came back. */
async function open(
  url: string,
  bytes: string,
): Promise<{ socket: Socket; text(): string; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return { socket, text: () => text, closed };
}

const HEAD = 'Host: test\r\nContent-Type: application/json\r\n';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('It did not come true in 20 s.');
  }
}

describe('a stop', () => {
  it('ends whatever clients do, and closes every connection with its answer', async () => {
    const service = start({ STOP_GRACE_SECONDS: '1', DRAIN_SECONDS: '1' });
    const url = await service.url;
    const silent = await open(url, '');
    const halfHeader = await open(url, 'GET /health/live HTTP/1.1\r\nHost: te');
    const halfBody = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 20\r\n\r\n{"a`);
    const late = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 7\r\n\r\n{"a"`);
    // All have arrived, as requests after them are answered.
    for (let times = 0; times < 3; times++) await (await fetch(`${url}/health/live`)).text();
    service.child.kill('SIGTERM');
    await until(async () => (await fetch(`${url}/health/ready`)).status === 503);
    const answer = await fetch(`${url}/health/live`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    late.socket.write(':1}');
    await late.closed;
    expect(late.text()).toMatch(/^HTTP\/1\.1 200 /);
    expect(late.text()).toMatch(/\r\nconnection: close\r\n/i);
    await Promise.all([silent.closed, halfHeader.closed, halfBody.closed]);
    expect(await service.ended).toBe(0);
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('by %s gives requests under way their grace', async (signal) => {
    const service = start({ STOP_GRACE_SECONDS: '60' });
    const url = await service.url;
    const late = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 7\r\n\r\n{"a"`);
    await (await fetch(`${url}/health/live`)).text();
    service.child.kill(signal);
    await until(() => service.said().includes('Stopping'));
    late.socket.write(':1}');
    await late.closed;
    expect(late.text()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    expect(await service.ended).toBe(0);
  });

  it('is over at once when it is asked for again', async () => {
    const service = start({ STOP_GRACE_SECONDS: '600' });
    await open(await service.url, 'GET /health/live HTTP/1.1\r\nHost: te');
    service.child.kill('SIGTERM');
    await until(() => service.said().includes('Stopping'));
    await sleep(1100);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(1);
  });
});

describe('a start', () => {
  it('that waits for its database is ended by a signal', async () => {
    const service = start({ DATABASE_URL: 'postgres://kindred:none@127.0.0.1:1/kindred' });
    await until(() => service.said().includes('Waiting for the database'));
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.said()).toMatch(/Stopping …\n$/);
  });

  it('on a port that is taken says so in one line, and leaves the first administrator to the next start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const PORT = String((other.address() as AddressInfo).port);
    try {
      const failing = start({ PORT });
      expect(await failing.ended).toBe(1);
      expect(failing.said()).toMatch(
        new RegExp(`The service can’t listen on 127.0.0.1, port ${PORT}: .*\\n$`),
      );
      expect(failing.said()).not.toMatch(/^\s+at /m);
      expect(await sql(database.url, 'SELECT 1 FROM users')).toEqual([]);
    } finally {
      other.close();
    }
    const service = start();
    await service.url;
    expect(service.said()).toMatch(/First administrator: admin, password \S+ /);
  });
});

describe('the log', () => {
  const ask = async (url: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await (await fetch(`${url}/api/v1/test?word=${time}`)).text();
  };

  it('that nobody reads stops neither the service nor its end', async () => {
    const service = start({}, 'pipe');
    const url = await service.url;
    service.child.stdout?.pause();
    // Far more lines than a pipe holds.
    await ask(url, 600);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    service.child.kill('SIGTERM');
    await until(() => service.child.exitCode !== null);
    expect(service.child.exitCode).toBe(0);
    service.child.stdout?.resume();
  });

  const isThere = existsSync('/dev/full');
  (isThere ? it : it.skip)('on a full disk stops neither the service nor its end', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const service = start({}, full);
      await ask(await service.url, 100);
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    } finally {
      closeSync(full);
    }
  });
});
