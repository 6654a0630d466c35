import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { ask, compileSources, type CompiledSources } from './spec-support.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { pause } from './errno.js';
import { runningServer } from './leftover.js';
import { keepLogBounded } from './log-file.js';
import { runningPostgres } from './running-postgres.js';
import { isRunning } from './processes.js';

const isRoot = process.getuid?.() === 0;
const settings = { fsync: 'off' };

/** Starts a server, stores a row, says its own line, and lives until it is killed. */
const SERVICE = `
  import { startEmbeddedPostgres } from './embedded-postgres.js';
  import { Client } from 'pg';
    const server = await startEmbeddedPostgres({ dataDir: process.argv[2], settings: { fsync: 'off' } });
  const client = new Client(server.url);
  client.on('error', () => {});
  await client.connect();
  await client.query('CREATE TABLE kept AS SELECT 42 AS answer');
  console.log('ready');
  setInterval(() => {}, 1000);
`;

function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

describe('startEmbeddedPostgres', () => {
  let parent: string;
  let dataDir: string;
  let sources: CompiledSources;
  /** A data folder with a new cluster, to be copied where making one is not what is tested. */
  let made: string;
  const running: EmbeddedPostgres[] = [];

  beforeAll(async () => {
    sources = compileSources();
    made = mkdtempSync(join(tmpdir(), 'kindred-embedded-'));
    await (await startEmbeddedPostgres({ dataDir: made, settings })).stop();
  });
  afterAll(() => {
    sources.remove();
    rmSync(made, { recursive: true, force: true });
  });
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'kindred-embedded-'));
    dataDir = join(parent, 'data');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
    rmSync(parent, { recursive: true, force: true });
  });

  /** Not cpSync: some versions of Node lose the folders' modes by it, and PostgreSQL starts in no folder open to others. */
  const copyCluster = () => cp(made, dataDir, { recursive: true });

  async function start(): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataDir, settings });
    running.push(server);
    return server;
  }

  it('makes a cluster at the first start: UTF-8, UTC, loopback only, with a password', async () => {
    const { url } = await start();
    const [row] = await ask(
      url,
      `SELECT current_database() AS db, current_user AS role, current_setting('TimeZone') AS zone,
              current_setting('listen_addresses') AS host, current_setting('unix_socket_directories') AS sockets,
              current_setting('max_connections') AS connections, current_setting('fsync') AS fsync,
              pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
         FROM pg_database WHERE datname = current_database()`,
    );
    expect(row).toEqual({
      db: 'kindred',
      role: 'kindred',
      zone: 'UTC',
      host: '127.0.0.1',
      sockets: '',
      connections: '120',
      fsync: 'off',
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
    });
    expect(url).toMatch(/^postgres:\/\/kindred:[\w-]{32}@127\.0\.0\.1:\d+\/kindred$/);
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    await expect(ask(url.replace(/:[\w-]{32}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      /password authentication failed/,
    );
  });

  it('keeps the data over a stop and a second start, and leaves no lock', async () => {
    await copyCluster();
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await Promise.all([first.stop(), first.stop()]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log']);
    const { url } = await start();
    expect(await ask(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('starts anew after the service was killed, without the old server and without loss', async () => {
    await copyCluster();
    const service = sources.run(SERVICE, [dataDir]);
    expect(await service.line()).toBe('ready');
    const postmaster = Number(
      readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    service.child.kill('SIGKILL');
    await service.ended;
    expect(isRunning(postmaster)).toBe(true);

    const { url } = await start();
    expect(isRunning(postmaster)).toBe(false);
    expect(await ask(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('goes down with a service that has no say of its own in a signal', async () => {
    await copyCluster();
    const service = sources.run(SERVICE, [dataDir]);
    expect(await service.line()).toBe('ready');
    const postmaster = postmasterOf(dataDir);
    service.child.kill('SIGTERM');
    await service.ended;
    expect(service.child.signalCode).toBe('SIGTERM');
    for (let tries = 0; tries < 200 && isRunning(postmaster); tries++) await pause(25);
    expect(isRunning(postmaster)).toBe(false);
    expect(existsSync(join(dataDir, 'kindred.lock'))).toBe(false);
  });

  it('refuses a folder that another service uses, and leaves that one alone', async () => {
    await copyCluster();
    const service = sources.run(SERVICE, [dataDir]);
    expect(await service.line()).toBe('ready');
    try {
      const refusal = start();
      await expect(refusal).rejects.toBeInstanceOf(StartupError);
      await expect(refusal).rejects.toThrow(
        new RegExp(`^[^\\n]*process ${service.child.pid}: [^\\n]*DATA_DIR[^\\n]*DATABASE_URL[^\\n]*$`),
      );
      expect(existsSync(join(dataDir, 'kindred.lock'))).toBe(true);
    } finally {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  });

  it('is not stopped by a pid file whose number now belongs to another process', async () => {
    await copyCluster();
    await (await start()).stop();
    writeFileSync(
      join(dataDir, 'postgres', 'postmaster.pid'),
      `${process.ppid}\n/nowhere\n1\n5432\n\n127.0.0.1\n`,
    );
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isRunning(process.ppid)).toBe(true);
  });

  it('says in one sentence why the server does not come up', async () => {
    await copyCluster();
    const failing = startEmbeddedPostgres({
      dataDir,
      settings: { ...settings, shared_preload_libraries: 'no_such' },
    });
    await expect(failing).rejects.toBeInstanceOf(StartupError);
    await expect(failing).rejects.toThrow(/^PostgreSQL did not start: [^\n]*no_such[^\n]*postgres\.log\)\.$/);
    expect(existsSync(join(dataDir, 'kindred.lock'))).toBe(false);
  });

  it('tells when the server ends by itself', async () => {
    await copyCluster();
    const lines: string[] = [];
    running.push(await startEmbeddedPostgres({ dataDir, settings, progress: (line) => lines.push(line) }));
    process.kill(postmasterOf(dataDir), 'SIGQUIT');
    for (let tries = 0; tries < 200 && !lines.some((line) => line.startsWith('PostgreSQL ended')); tries++)
      await pause(25);
    expect(lines.at(-1)).toMatch(/^PostgreSQL ended \(.*\); its log: .*postgres\.log$/);
  });

  it('makes a cluster again that was left half made', async () => {
    mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), '');
    mkdirSync(join(dataDir, 'postgres.init-abc', 'cluster'), { recursive: true });
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'postgres.init-abc'))).toBe(false);
  });

  it.each([
    ['PG_VERSION', join('global', 'pg_control')],
    [join('global', 'pg_control'), 'PG_VERSION'],
  ])('never replaces a cluster that has lost its %s', async (lost, kept) => {
    await copyCluster();
    rmSync(join(dataDir, 'postgres', lost));
    await expect(start()).rejects.toThrow(`damaged cluster (no ${lost})`);
    expect(existsSync(join(dataDir, 'postgres', kept))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres', 'base'))).toBe(true);
  });

  it('serves a copy of a folder that is in use by a server of its own, and never touches the original', async () => {
    await copyCluster();
    const { url } = await start();
    await ask(url, 'CREATE TABLE kept AS SELECT 1 AS answer');
    await ask(url, 'CHECKPOINT');
    const original = postmasterOf(dataDir);
    const copy = join(parent, 'copy');
    await cp(dataDir, copy, { recursive: true });
    // What the command line would use: nobody holds the copy, and no server works on it, whatever its files say.
    expect(existsSync(join(copy, 'kindred.lock'))).toBe(true);
    expect(postmasterOf(copy)).toBe(original);
    expect(await runningPostgres(copy)).toBeNull();
    const password = readFileSync(join(copy, 'postgres-password'), 'utf8').trim();
    expect(await runningServer(join(copy, 'postgres'), password)).toBeUndefined();
    expect(await runningServer(join(dataDir, 'postgres'), password)).toMatchObject({ pid: original });

    const second = await startEmbeddedPostgres({ dataDir: copy, settings });
    running.push(second);
    expect(second.url).not.toBe(url);
    await ask(second.url, 'UPDATE kept SET answer = 2');
    expect(await ask(url, 'SELECT answer FROM kept')).toEqual([{ answer: 1 }]);
    expect(isRunning(original)).toBe(true);
    expect(await runningPostgres(dataDir)).toBe(url);
    expect(await runningPostgres(copy)).toBe(second.url);
  });

  it('keeps what rows and statements hold out of the log of the server, which stays small', async () => {
    await copyCluster();
    const { url } = await start();
    await ask(url, `CREATE TABLE kept AS SELECT 'first-secret'::text AS word`);
    await ask(url, 'CREATE UNIQUE INDEX ON kept (word)');
    const faults = [
      `INSERT INTO kept VALUES ('first-secret')`,
      `SELECT 'second-secret'::int`,
      `DO $$ BEGIN RAISE EXCEPTION 'third-secret'; END $$`,
      `DO $$ BEGIN RAISE WARNING 'fourth-secret'; END $$`,
    ];
    for (const sql of faults) await ask(url, sql).catch(() => undefined);
    const log = join(dataDir, 'postgres.log');
    expect(readFileSync(log, 'utf8')).toContain('ready to accept connections');
    expect(readFileSync(log, 'utf8')).not.toContain('-secret');
    const end = keepLogBounded(log, { bytes: 10, everyMs: 10 });
    try {
      for (let tries = 0; tries < 500 && !existsSync(`${log}.1`); tries++) await pause(20);
      for (let tries = 0; tries < 500 && statSync(log).size > 10; tries++) await pause(20);
    } finally {
      end();
    }
    expect(statSync(log).size).toBeLessThanOrEqual(10);
    await ask(url, 'SELECT pg_reload_conf()');
    for (let tries = 0; tries < 500 && statSync(log).size === 0; tries++) await pause(20);
    // It goes on at the beginning of the emptied file, not where it was.
    expect(readFileSync(log, 'utf8')).toMatch(/^[\d-]+ .*SIGHUP/);
  });

  it('sets a new password when the file that keeps it is gone', async () => {
    await copyCluster();
    const file = join(dataDir, 'postgres-password');
    const old = readFileSync(file, 'utf8');
    rmSync(file);
    const { url } = await start();
    expect(readFileSync(file, 'utf8')).not.toBe(old);
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  // An ordinary user owns all that is read here, so the question arises for root alone.
  (isRoot ? it : it.skip)('serves root from below a folder that only root may enter', async () => {
    chmodSync(parent, 0o700);
    const { url } = await start();
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
  });
});
