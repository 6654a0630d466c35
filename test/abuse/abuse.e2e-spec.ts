import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Caller, type Json } from '../support/client.js';
import { createDatabase, sql } from '../support/database.js';
import { listening } from '../support/listening.js';
import { quick } from '../support/quick.js';
import { type Target, timesDuring } from './attack.js';
import { ATTACKS } from './attacks.js';

/*
 * The service as it is shipped, in a process of its own, under attacks that worked once. Another client goes on as if there
 * were none, and the service stays small. A new attack is a row in attacks.ts.
 */

const PASSWORD = 'correct horse battery';
/**
 * What is never too long, for nine of ten answers and for the slowest, in milliseconds; and how many times as long as an
 * answer of the bystander one may take: several processes take part in it, and these tests run beside others.
 */
const ENOUGH = { most: 100, longest: 2000, bystanders: 6 };
const MAX_MEMORY = 400 * 1024 * 1024;

let database: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: string;
let service: ChildProcess;
let bystander: ChildProcess;
let target: Target;
/** A server that the attacks are not about. */
let idle: string;
let other: { cookie: string; paths: string[] };

beforeAll(async () => {
  database = await createDatabase('plain');
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-abuse-'));
  service = spawn(process.execPath, ['test/support/instances.mjs', '1'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      APP_SECRET: 'a secret for tests alone, 32 characters',
      ADMIN_PASSWORD: PASSWORD,
      MAX_CONNECTIONS_PER_ADDRESS: '400',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  bystander = spawn(process.execPath, ['test/abuse/bystander.mjs'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [url = ''] = await listening(service);
  [idle = ''] = await listening(bystander);
  const login = async (name: string) => {
    const { body } = await new Caller(url).post('/sessions', { login: name, password: PASSWORD });
    return `appSessionId=${String((body.props as Json).id)}`;
  };
  const olive = { username: 'olive', realName: 'Olive', email: 'olive@example.com', password: PASSWORD };
  const { body } = await new Caller(url).post('/users', olive);
  const id = String((body.props as Json).id);
  other = {
    cookie: await login('olive'),
    paths: [
      '/health/live',
      '/api/v1/users/whoami',
      `/api/v1/users/${id}?includeMeta=true`,
      '/api/v1/apikeys?sortBy=name',
    ],
  };
  await fill();
  target = { url, cookie: await login('admin'), large: '/api/v1/cronjobs' };
}, 60_000);
afterAll(async () => {
  bystander.kill('SIGKILL');
  service.kill('SIGKILL');
  if (service.exitCode === null && service.signalCode === null) await once(service, 'exit');
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Records of the largest kind that the service brings along, with 6 MB in a page of a hundred; many users to sort, and one with much to delete. */
async function fill(): Promise<void> {
  const text = `INSERT INTO cronjobs (schedule, handler, enabled, note)
    SELECT '@daily', 'Test', false, repeat(md5(n::text), 2040) FROM generate_series(1, 100) n`;
  await sql(database.url, text);
  const users = `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash")
    SELECT 'many' || n, 'many' || n, 'many' || n || '@mail.test', 'many' || n || '@mail.test', 'Many', ''
    FROM generate_series(1, 20000) n`;
  await sql(database.url, users);
  const heavy = `WITH u AS (INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash")
      VALUES ('heavy', 'heavy', 'heavy@mail.test', 'heavy@mail.test', 'Heavy', '') RETURNING id)
    INSERT INTO sessions ("userId", type, "expiresAt", "tokenHash")
    SELECT u.id, 'password', now() + interval '1 day', 'h' || n FROM u, generate_series(1, 50000) n`;
  await sql(database.url, heavy);
}

/** Lets {@link peakMemory} begin anew, where the system can. */
const forgetPeak = () => writeFile(`/proc/${service.pid}/clear_refs`, '5').catch(() => undefined);

/** The most memory that the process has had; null where the system doesn't tell. */
async function peakMemory(): Promise<number | null> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

describe('another client goes on, and memory stays bounded, under', () => {
  it.each(ATTACKS)('$name', async ({ run }) => {
    const { cookie, paths } = other;
    const quiet = await timesDuring(target.url, paths, cookie, sleep(500));
    await forgetPeak();
    const attack = run(target);
    const [attacked, noise] = await Promise.all([
      timesDuring(target.url, paths, cookie, attack),
      timesDuring(idle, ['/'], '', attack),
    ]);
    for (const which of ['most', 'longest'] as const) {
      const allowed = Math.max(quick(ENOUGH[which]), 10 * quiet[which], ENOUGH.bystanders * noise[which]);
      expect(attacked[which]).toBeLessThan(allowed);
    }
    expect((await peakMemory()) ?? 0).toBeLessThan(MAX_MEMORY);
  });
});
