import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Caller, type Json } from './support/client.js';
import { createDatabase, sql } from './support/database.js';
import { type LogTo, type ServiceProcess, startProcess } from './support/service-process.js';

/*
 * The service as a process: how it starts, is interrupted, and stops.
 */

type TestDatabase = Awaited<ReturnType<typeof createDatabase>>;

const PASSWORD = 'correct horse battery';

let database: TestDatabase;
let dataDir: string;
const running: ServiceProcess[] = [];
const sockets: Socket[] = [];
/** What else is ended after a test. */
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  database = await createDatabase('plain');
});
afterAll(() => database.drop());
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-start-stop-'));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ ended }) => ended));
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A database of the test's own. */
async function ownDatabase(): Promise<string> {
  const own = await createDatabase('plain');
  ends.push(() => own.drop());
  return own.url;
}

/** Somebody else's connection to a database, at which a statement is run. */
async function held(url: string, text: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  ends.push(() => client.end().catch(() => undefined));
  await client.connect();
  await client.query(text);
  return client;
}

function start(env: Record<string, string> = {}, log: LogTo = 'ignore'): ServiceProcess {
  const service = startProcess(
    {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: PASSWORD,
      MIN_FREE_BYTES: '0',
      ...env,
    },
    log,
  );
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
  for (const deadline = Date.now() + 120_000; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('It did not come true in 120 s.');
  }
}

/** Waits until a service has read what was sent to it before: requests that come after it are answered. */
async function arrived(url: string): Promise<void> {
  for (let times = 0; times < 3; times++) await (await fetch(`${url}/health/live`)).text();
}

describe('a stop', () => {
  it('ends whatever clients do, and closes every connection with its answer', async () => {
    const service = start({ STOP_GRACE_SECONDS: '1', DRAIN_SECONDS: '1' });
    const url = await service.url;
    const silent = await open(url, '');
    const halfHeader = await open(url, 'GET /health/live HTTP/1.1\r\nHost: te');
    const halfBody = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 20\r\n\r\n{"a`);
    const late = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 7\r\n\r\n{"a"`);
    await arrived(url);
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

  it('may take its whole grace, also one that is longer than the limits of its parts', async () => {
    const service = start({ STOP_GRACE_SECONDS: '11' });
    const url = await service.url;
    const half = await open(url, 'GET /health/live HTTP/1.1\r\nHost: te');
    await arrived(url);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.said()).toMatch(/Stopping …\n$/);
    await half.closed;
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('by %s gives requests under way their grace', async (signal) => {
    const service = start({ STOP_GRACE_SECONDS: '60' });
    const url = await service.url;
    const late = await open(url, `POST /api/v1/test HTTP/1.1\r\n${HEAD}Content-Length: 7\r\n\r\n{"a"`);
    await arrived(url);
    service.child.kill(signal);
    await until(() => service.said().includes('Stopping'));
    late.socket.write(':1}');
    await late.closed;
    expect(late.text()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    expect(await service.ended).toBe(0);
  });

  it('is over at once when it is asked for again', async () => {
    const service = start({ STOP_GRACE_SECONDS: '600' });
    const url = await service.url;
    const half = await open(url, 'GET /health/live HTTP/1.1\r\nHost: te');
    await arrived(url);
    service.child.kill('SIGTERM');
    await until(() => service.said().includes('Stopping'));
    // Signals within a second are one wish.
    await sleep(1100);
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGHUP');
    expect(await service.ended).toBe(1);
    expect(service.said()).toMatch(/Stopping …\nStopping at once\.\n$/);
    await half.closed;
  });
});

describe('an upload that is under way at a stop', () => {
  const SIZE = 100_000;
  const first = Buffer.alloc(SIZE / 2, 'a');
  const rest = Buffer.alloc(SIZE / 2, 'b');

  /** The files below the data folder that hold bytes of uploads, as their contents. */
  const stored = (): Buffer[] =>
    readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

  /** Sends the first half of a file, all of which has been written when this resolves. */
  const begin = async (service: ServiceProcess) => {
    const url = await service.url;
    const login = await new Caller(url).post('/sessions', { login: 'admin', password: PASSWORD });
    const admin = new Caller(url, String((login.body.props as Json).id));
    const description = { filename: 'half.png', contentType: 'image/png', sizeInBytes: SIZE };
    const { body } = await admin.post('/objectfiles', description);
    const to = new URL(String((body.meta as Json).presignedUrl));
    const head = [`PUT ${to.pathname}${to.search} HTTP/1.1`, `host: ${to.host}`, 'content-type: image/png'];
    const upload = await open(url, [...head, `content-length: ${SIZE}`, '', ''].join('\r\n'));
    upload.socket.write(first);
    await until(() => stored().some((bytes) => bytes.length === first.length));
    return upload;
  };

  it('has its grace, is answered, and is there', async () => {
    const service = start({ STOP_GRACE_SECONDS: '600' });
    const upload = await begin(service);
    service.child.kill('SIGTERM');
    await until(() => service.said().includes('Stopping'));
    upload.socket.write(rest);
    await upload.closed;
    expect(upload.text()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    expect(await service.ended).toBe(0);
    expect(stored()).toEqual([Buffer.concat([first, rest])]);
  });

  it('is cut when it outlasts the grace, and leaves nothing', async () => {
    const service = start({ STOP_GRACE_SECONDS: '1' });
    const upload = await begin(service);
    service.child.kill('SIGTERM');
    await upload.closed;
    expect(upload.text()).toBe('');
    expect(await service.ended).toBe(0);
    expect(service.said()).toMatch(/Stopping …\n$/);
    expect(stored().length).toBe(0);
  });
});

/** Where a start can be when a signal comes. */
interface Phase {
  readonly signal: NodeJS.Signals;
  /** Resolves when it is there. */
  readonly reached: (service: ServiceProcess) => Promise<void>;
  /** What keeps it there, for as long as the phase lasts. */
  readonly hold?: () => Promise<Client>;
}

const saying = (line: string) => (service: ServiceProcess) => until(() => service.said().includes(line));

/** Waits until somebody waits for a lock on a table. */
const waitsFor = (url: string, table: string) => () =>
  until(async () => {
    const text = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
    return (await sql(url, text, [table])).length > 0;
  });

/** Starts the service again and again, each time with a signal in another phase, and at last without one. */
async function interrupt(env: Record<string, string>, phases: readonly Phase[]): Promise<ServiceProcess> {
  for (const { signal, reached, hold } of phases) {
    const holder = await hold?.();
    const service = start(env);
    await reached(service);
    const before = service.said();
    service.child.kill(signal);
    expect([before, await service.ended]).toEqual([before, 0]);
    expect(service.said().slice(before.length)).toBe('Stopping …\n');
    expect(existsSync(join(dataDir, 'kindred.lock'))).toBe(false);
    await holder?.end();
  }
  const service = start(env);
  await service.url;
  return service;
}

describe('a start that is interrupted', () => {
  it('while it makes, starts and migrates a PostgreSQL of its own ends with one line, and the next one works', async () => {
    const service = await interrupt({ DATABASE_URL: '' }, [
      { signal: 'SIGTERM', reached: saying('Making a new PostgreSQL cluster') },
      {
        signal: 'SIGHUP',
        reached: () => until(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid'))),
      },
      { signal: 'SIGINT', reached: saying('Migrating the database') },
    ]);
    expect(service.said()).toMatch(/First administrator: admin\n/);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(readdirSync(dataDir).filter((name) => /init-|lock/.test(name))).toEqual([]);
  });

  it('while it migrates a database of others ends with one line, and the next one works', async () => {
    const url = await ownDatabase();
    // As if the last migration had not run yet.
    await sql(url, `DELETE FROM migrations WHERE name LIKE 'CountersKeptApart%'`);
    await sql(url, 'DROP FUNCTION record_counts_verify(text)');
    await sql(url, 'DROP FUNCTION record_counts_gather()');
    await sql(url, 'DROP TRIGGER record_counts_own ON record_counts');
    await sql(url, 'DROP FUNCTION record_counts_own()');
    const inItsWay = () => held(url, 'BEGIN; LOCK TABLE record_counts IN ROW EXCLUSIVE MODE');
    const env = { DATABASE_URL: url, STATEMENT_TIMEOUT_MS: '1000', ADMIN_PASSWORD: '' };
    const service = await interrupt(env, [
      {
        signal: 'SIGTERM',
        hold: () => held(url, 'SELECT pg_advisory_lock(7203000)'),
        reached: saying('Waiting for another instance to migrate'),
      },
      { signal: 'SIGHUP', hold: inItsWay, reached: waitsFor(url, 'record_counts') },
      { signal: 'SIGTERM', hold: inItsWay, reached: saying('lets others go first') },
      {
        signal: 'SIGHUP',
        hold: () => held(url, 'BEGIN; LOCK TABLE users IN EXCLUSIVE MODE'),
        reached: waitsFor(url, 'users'),
      },
    ]);
    // The one that was interrupted while it made the administrator has made none.
    expect(service.said()).toMatch(/First administrator: admin, password \S+ /);
  });

  it('while it waits for its database ends with one line', async () => {
    const service = start({ DATABASE_URL: 'postgres://kindred:none@127.0.0.1:1/kindred' });
    await saying('Waiting for the database')(service);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.said()).toMatch(/^(?:Waiting for the database: .*\n)+Stopping …\n$/);
  });

  it('while it waits for its storage ends with one line', async () => {
    let isAsked = false;
    const storage = createServer((socket) => {
      isAsked = true;
      sockets.push(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    ends.push(() => storage.close());
    await once(storage, 'listening');
    const S3_ENDPOINT = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
    const keys = { S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret', PUBLIC_URL: 'http://localhost' };
    const service = start({ S3_ENDPOINT, ...keys });
    await until(() => isAsked);
    service.child.kill('SIGHUP');
    expect(await service.ended).toBe(0);
    expect(service.said()).toBe('Stopping …\n');
  });
});

describe('a start', () => {
  it('says once that special characters of a password must be encoded, where the host is unknown', async () => {
    const service = start({ DATABASE_URL: 'postgres://kindred:secret@part.invalid/word@127.0.0.1/kindred' });
    await until(() => service.said().split('\n').length > 2);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    const [first, ...others] = service.said().split('\n');
    expect(first).toMatch(/^Waiting for the database: .*part\.invalid .*percent-encode.*%2F/);
    expect(others.join()).toContain('Waiting for the database');
    expect(others.join()).not.toContain('percent-encode');
    expect(service.said()).not.toMatch(/secret|word@/);
  });

  it('with TLS on a server without it ends at once with one line', async () => {
    const service = start({ DATABASE_URL: `${database.url}?sslmode=verify-full` });
    expect(await service.ended).toBe(1);
    expect(service.said()).toBe(
      'The database can’t be used: The server does not support SSL connections. Turn TLS on there, or change sslmode in DATABASE_URL.\n',
    );
  });

  it('on a port that is taken says so in one line, and leaves the first administrator to the next start', async () => {
    const DATABASE_URL = await ownDatabase();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const PORT = String((other.address() as AddressInfo).port);
    try {
      const failing = start({ PORT, DATABASE_URL });
      expect(await failing.ended).toBe(1);
      expect(failing.said()).toMatch(
        new RegExp(`The service can’t listen on 127.0.0.1, port ${PORT}: .*\\n$`),
      );
      expect(failing.said()).not.toMatch(/^\s+at /m);
      expect(await sql(DATABASE_URL, 'SELECT 1 FROM users')).toEqual([]);
    } finally {
      other.close();
    }
    const service = start({ DATABASE_URL, ADMIN_PASSWORD: '' });
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
