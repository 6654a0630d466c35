import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../src/database/embedded/free-port.js';
import { createDatabase } from './support/database.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';

/*
 * The shipped deploy/haproxy.cfg before two instances, with nothing but its ports replaced. Skipped where HAProxy is not
 * installed (Debian: apt-get install haproxy), which `.ci/run` does.
 */

const haproxy = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find(existsSync);
const CLIENTS = 8;

interface Ports {
  readonly api: number;
  readonly metrics: number;
}

const ports = new Map<string, Ports>();
const running = new Map<string, ServiceProcess>();
let database: Awaited<ReturnType<typeof createDatabase>>;
let folder: string;
let balancer: ChildProcess | null = null;
let address: string;
let said = '';

beforeAll(async () => {
  if (haproxy === undefined) return;
  database = await createDatabase('plain');
  folder = mkdtempSync(join(tmpdir(), 'kindred-rolling-'));
  for (const name of ['kindred-1', 'kindred-2']) {
    ports.set(name, { api: await freePort('127.0.0.1'), metrics: await freePort('127.0.0.1') });
    // One after the other, as the first one migrates.
    await startInstance(name);
  }
  const port = await freePort('127.0.0.1');
  address = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'haproxy.cfg'), await adapted(port));
  balancer = spawn(haproxy, ['-db', '-f', join(folder, 'haproxy.cfg')], {
    env: {
      KINDRED_1: `127.0.0.1:${ports.get('kindred-1')?.api}`,
      KINDRED_2: `127.0.0.1:${ports.get('kindred-2')?.api}`,
      STORAGE: '127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [balancer.stdout, balancer.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(async () => (await statusOf('/health/live')) === 200);
});
afterAll(async () => {
  if (haproxy === undefined) return;
  balancer?.kill('SIGKILL');
  for (const { child } of running.values()) child.kill('SIGKILL');
  await Promise.all([...running.values()].map(({ ended }) => ended));
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function startInstance(name: string): Promise<void> {
  const { api = 0, metrics = 0 } = ports.get(name) ?? {};
  const service = startProcess({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PORT: String(api),
    METRICS_PORT: String(metrics),
    ADMIN_PASSWORD: 'correct horse battery staple',
    TRUST_PROXY: '1',
    DRAIN_SECONDS: '3',
  });
  running.set(name, service);
  await service.url;
}

/** The shipped configuration, on ports of our own. */
async function adapted(port: number): Promise<string> {
  const storage = await freePort('127.0.0.1');
  return readFileSync('deploy/haproxy.cfg', 'utf8')
    .replace('bind :3000', `bind 127.0.0.1:${port}`)
    .replace('bind :9000', `bind 127.0.0.1:${storage}`)
    .replace(/("\$\{KINDRED_1\}" check port) 9464/, `$1 ${ports.get('kindred-1')?.metrics}`)
    .replace(/("\$\{KINDRED_2\}" check port) 9464/, `$1 ${ports.get('kindred-2')?.metrics}`);
}

const statusOf = (path: string): Promise<number> =>
  fetch(`${address}${path}`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await condition()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`It did not come true in 30 s: ${said.slice(-2000)}`);
  }
}

/** How often the balancer has said that a server is up again. */
const upsOf = (name: string) => said.split(`Server kindred/${name} is UP`).length;

(haproxy === undefined ? it.skip : it)(
  'HAProxy: four restarts under load lose no request',
  async () => {
    const lost: string[] = [];
    let answered = 0;
    let isOver = false;
    const client = async (): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        const init =
          turn % 2 === 0
            ? {}
            : { method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"turn":${turn}}` };
        try {
          const response = await fetch(`${address}/api/v1/test`, init);
          await response.arrayBuffer();
          answered++;
          if (response.status !== 200) lost.push(`${init.method ?? 'GET'} ${response.status}`);
        } catch (error) {
          lost.push(String(error));
        }
        await sleep(5);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (const name of ['kindred-1', 'kindred-2', 'kindred-1', 'kindred-2']) {
      const before = upsOf(name);
      const service = running.get(name);
      service?.child.kill('SIGTERM');
      expect(await service?.ended).toBe(0);
      await startInstance(name);
      await until(() => upsOf(name) > before);
    }
    isOver = true;
    await Promise.all(clients);
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(200);
    // Its log has the service's request id, and no URL.
    expect(said).toMatch(/ kindred\/kindred-[12] GET 200 .* [0-9a-f]{8}-[0-9a-f-]{27}$/m);
    expect(said).not.toContain('/api/v1/test');
  },
  120_000,
);

(haproxy === undefined ? it.skip : it)('HAProxy: its own refusals are in the envelope', async () => {
  for (const { child } of running.values()) child.kill('SIGKILL');
  await Promise.all([...running.values()].map(({ ended }) => ended));
  await until(async () => (await statusOf('/api/v1/test')) === 503);
  const response = await fetch(`${address}/api/v1/test`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await response.json()).toEqual({ error: { code: 503, message: expect.any(String), data: null } });
  if (balancer) {
    balancer.kill('SIGTERM');
    await once(balancer, 'close');
  }
});
