import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Caller, type Json } from '../support/client.js';
import { createDatabase, sql } from '../support/database.js';
import { listening } from '../support/listening.js';
import { PNG } from '../support/png.js';
import { quick } from '../support/quick.js';
import {
  type Account,
  changing,
  type Deed,
  importing,
  loggingIn,
  PASSWORD,
  reading,
  type Target,
  type Times,
  timesDuring,
} from './attack.js';
import { ATTACKS } from './attacks.js';

/*
 * The service as it is shipped, in a process of its own, under attacks that worked once. Another client goes on as if there
 * were none, and the service stays small. A new attack is a row in attacks.ts.
 */

/**
 * What is never too long, for nine of ten answers and for the slowest, in milliseconds. A login takes a hash, and an import
 * three requests, a process and maybe the wait for a picture.
 */
const ENOUGH = {
  reads: { most: 100, longest: 2000 },
  writes: { most: 100, longest: 2000 },
  logins: { most: 500, longest: 2000 },
  imports: { most: 5000, longest: 5000 },
};
/**
 * How many times as long as an answer of the bystander one may take: several processes take part in it, and these tests run
 * beside others.
 */
const BYSTANDERS = 6;
/** So many that their imports fill the queue, 8 of each (src/files/media/media-pool.ts). */
const ACCOUNTS = 14;
const MAX_MEMORY = 400 * 1024 * 1024;

let database: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: string;
let service: ChildProcess;
let bystander: ChildProcess;
let target: Target;
/** A server that the attacks are not about. */
let idle: string;
/** What the other client goes on with, and how often at least. */
let deeds: readonly (readonly [what: keyof typeof ENOUGH, deed: Deed, least: number])[];

/** @param port the one that it had before; 0 at first */
const startService = (port = '0'): ChildProcess =>
  spawn(process.execPath, ['test/support/instances.mjs', '1'], {
    env: {
      PATH: process.env.PATH,
      PORT: port,
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      APP_SECRET: 'a secret for tests alone, 32 characters',
      ADMIN_PASSWORD: PASSWORD,
      MAX_CONNECTIONS_PER_ADDRESS: '400',
      // What two accounts can announce (MAX_PENDING_BYTES).
      MAX_PENDING_BYTES_IN_ALL: String(5 * 1024 ** 3),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

/** Each attack meets a service that has not been attacked before: memory that one has needed is not given back at once. */
async function restart(): Promise<void> {
  service.kill('SIGKILL');
  if (service.exitCode === null && service.signalCode === null) await once(service, 'exit');
  service = startService(new URL(target.url).port);
  await listening(service);
}

beforeAll(async () => {
  database = await createDatabase('plain');
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-abuse-'));
  service = startService();
  bystander = spawn(process.execPath, ['test/abuse/bystander.mjs'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [url = ''] = await listening(service);
  [idle = ''] = await listening(bystander);
  const call = new Caller(url);
  const login = async (username: string) => {
    const { body } = await call.post('/sessions', { login: username, password: PASSWORD });
    return `appSessionId=${String((body.props as Json).id)}`;
  };
  const account = async (username: string): Promise<Account> => {
    const user = { username, email: `${username}@example.com`, password: PASSWORD };
    const { body } = await call.post('/users', user);
    return { id: String((body.props as Json).id), username, cookie: await login(username) };
  };
  const accounts: Account[] = [];
  for (let i = 0; i < ACCOUNTS; i++) accounts.push(await account(`mallory${i}`));
  target = { url, cookie: await login('admin'), large: '/api/v1/cronjobs', accounts };
  const olive = await account('olive');
  const paths = [
    '/health/live',
    '/api/v1/users/whoami',
    `/api/v1/users/${olive.id}?includeMeta=true`,
    '/api/v1/apikeys?sortBy=name',
  ];
  const key = await call.post('/apikeys', { name: 'key' }, { headers: { cookie: olive.cookie } });
  const own = {
    [`/api/v1/users/${olive.id}`]: 'realName',
    [`/api/v1/apikeys/${String((key.body.props as Json).id)}`]: 'name',
  };
  // Another account, as many logins end the oldest sessions of theirs.
  deeds = [
    ['reads', reading(url, paths, olive.cookie), 20],
    ['writes', changing(url, own, olive.cookie), 20],
    ['logins', loggingIn(url, (await account('olivia')).username, PASSWORD), 5],
    ['imports', importing(url, olive.id, olive.cookie, PNG), 2],
  ];
  await fill();
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
  beforeEach(restart);

  it.each(ATTACKS)(
    '$name',
    async ({ run }) => {
      const quiet: Times[] = [];
      for (const [, deed, least] of deeds) quiet.push(await timesDuring(deed, least, sleep(300)));
      await forgetPeak();
      const attack = run(target);
      const [attacked, noise] = await Promise.all([
        Promise.all(deeds.map(([, deed, least]) => timesDuring(deed, least, attack))),
        timesDuring(reading(idle, ['/'], ''), 20, attack),
      ]);
      for (const [i, [what]] of deeds.entries())
        for (const which of ['most', 'longest'] as const) {
          const allowed = Math.max(
            quick(ENOUGH[what][which]),
            10 * (quiet[i]?.[which] ?? 0),
            BYSTANDERS * noise[which],
          );
          const took = attacked[i]?.[which] ?? Infinity;
          expect([what, which, took, took < allowed]).toEqual([what, which, took, true]);
        }
      expect((await peakMemory()) ?? 0).toBeLessThan(MAX_MEMORY);
    },
    60_000,
  );
});
