import { times } from './support/times.js';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Balancer, HAPROXY, ownNetwork, startBalancer } from './support/balancer.js';
import type { Json } from './support/client.js';
import { createDatabase, sql } from './support/database.js';
import { Connection, Load, type Outcome } from './support/load.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';

/*
 * Two instances behind the balancer of deploy/, both as they are shipped: restarted one after the other, and busy beyond
 * what they can do.
 */

const PASSWORD = 'correct horse battery';
const host = ownNetwork();
const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, { environment: Record<string, string> }>;
};

let database: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: string;
let instances: ServiceProcess[];
let balancer: Balancer;
let cookie: string;
const servers: Server[] = [];

/** Instance 0 or 1, with the settings of compose.yaml that are about the balancer. */
function start(i: number): ServiceProcess {
  const { TRUST_PROXY, DRAIN_SECONDS, METRICS_PORT } =
    compose.services[`kindred-${i + 1}`]?.environment ?? {};
  return startProcess({
    TRUST_PROXY: String(TRUST_PROXY),
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    METRICS_PORT: String(METRICS_PORT),
    METRICS_HOST: host(i + 1),
    HOST: host(i + 1),
    PORT: '3000',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'warn',
  });
}

/** Waits until something is so. */
async function until(is: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !is(); await sleep(20))
    if (Date.now() > end) throw new Error('It has not become so.');
}

/** How often the balancer has said of an instance that it is UP or DOWN. */
const changes = (i: number, state: 'UP' | 'DOWN'): number =>
  balancer.lines().filter((line) => line.includes(`Server kindred/kindred-${i + 1} is ${state}`)).length;

/** The error of an answer in the envelope. */
const errorIn = (body: string): { code: number; data: unknown } =>
  (JSON.parse(body) as { error: { code: number; data: unknown } }).error;

const suite = HAPROXY === null ? describe.skip : describe;

suite(`behind HAProxy${HAPROXY === null ? ', which is not installed here' : ''}`, () => {
  beforeAll(async () => {
    database = await createDatabase('plain');
    dataDir = mkdtempSync(join(tmpdir(), 'kindred-balanced-'));
    instances = [start(0), start(1)];
    await Promise.all(instances.map(({ url }) => url));
    balancer = await startBalancer(host(3), {
      KINDRED_1: `${host(1)}:3000`,
      KINDRED_2: `${host(2)}:3000`,
      STORAGE: `${host(4)}:9000`,
      S3_BUCKET: 'kindred',
    });
    const client = new Connection(balancer.url, false);
    const { headers } = await client.ask('POST', '/api/v1/sessions', { login: 'admin', password: PASSWORD });
    cookie = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  afterAll(async () => {
    for (const { child } of instances) child.kill('SIGKILL');
    await Promise.all(instances.map(({ ended }) => ended));
    await balancer.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('four restarts under load lose no request, and do no write twice', async () => {
    const client = new Connection(balancer.url, true, cookie);
    const me = JSON.parse((await client.ask('GET', '/api/v1/users/whoami')).text) as Json;
    const self = `/api/v1/users/${String((me.props as Json).id)}`;
    const paths = [
      '/api/v1/users?itemsPerPage=5',
      '/api/v1/users/whoami',
      self,
      '/api/v1/apikeys?search=key',
    ];
    const created: string[] = [];
    let serial = 0;
    let latest = '';
    const load = new Load(balancer.url, cookie);
    for (const keepAlive of [true, true, true, true, false, false, false]) {
      load.add(keepAlive, (one) => one.ask('GET', paths[serial++ % paths.length] ?? ''));
    }
    for (const keepAlive of [true, true, true, false, false]) {
      load.add(
        keepAlive,
        async (one) => {
          const name = `key ${serial++}`;
          const outcome = await one.ask('POST', '/api/v1/apikeys', { name });
          if (outcome.status === 201) created.push(name);
          return outcome;
        },
        ({ status }) => status === 201,
      );
    }
    load.add(true, async (one) => {
      const realName = `name ${serial++}`;
      const outcome = await one.ask('PUT', self, { realName });
      if (outcome.status === 200) latest = realName;
      return outcome;
    });
    try {
      for (const i of [0, 1, 0, 1]) {
        const before = { up: changes(i, 'UP'), answered: load.answered };
        instances[i]?.child.kill('SIGTERM');
        expect(await instances[i]?.ended).toBe(0);
        instances[i] = start(i);
        await instances[i]?.url;
        await until(() => changes(i, 'UP') > before.up);
        expect(load.answered).toBeGreaterThan(before.answered + 50);
      }
    } finally {
      await load.stop();
      client.end();
    }
    expect(load.lost).toEqual([]);
    expect([changes(0, 'DOWN'), changes(1, 'DOWN')]).toEqual([2, 2]);
    const rows = await sql<{ name: string }>(
      database.url,
      `SELECT name FROM apikeys WHERE name LIKE 'key %'`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...created].sort());
    const [row] = await sql(database.url, `SELECT "realName" AS name FROM users WHERE username = 'admin'`);
    expect(row).toEqual({ name: latest });
  });

  it('500 busy connections take no instance out, and each is answered', async () => {
    await sql(
      database.url,
      `INSERT INTO users (username, "usernameFolded", email, "emailFolded", "realName", "passwordHash")
       SELECT 'many' || n, 'many' || n, 'many' || n || '@mail.test', 'many' || n || '@mail.test', 'Many', ''
       FROM generate_series(1, 1000) n`,
    );
    const before = [changes(0, 'DOWN'), changes(1, 'DOWN')];
    const paths = [
      '/api/v1/users?itemsPerPage=100&includeMeta=true&includeLinks=true&includeOptions=true',
      '/api/v1/apikeys?sortBy=name&sortOrder=desc&itemsPerPage=50',
      '/api/v1/users/whoami',
      '/api/v1/apikeys?search=key',
    ];
    let underWay = 0;
    let most = 0;
    const outcomes: Outcome[] = [];
    const run = async (i: number) => {
      const client = new Connection(balancer.url, true, cookie);
      for (let turn = 0; turn < 4; turn++) {
        most = Math.max(most, ++underWay);
        outcomes.push(await client.ask('GET', paths[(i + turn) % paths.length] ?? ''));
        underWay--;
      }
      client.end();
    };
    await Promise.all(times(500, run));
    expect(most).toBe(500);
    // A statement that takes too long is 504; what could not even begin is 503, and may be sent again.
    const sorts = new Set(
      outcomes.map(({ status, headers, text }) => {
        if (status === 200) return '200';
        if (status !== 503 && status !== 504) return `${status}: ${text}`;
        return `${status}, code ${errorIn(text).code}${status === 503 ? `, again in ${headers['retry-after']} s` : ''}`;
      }),
    );
    const expected = /^(200|503, code 503, again in \d+ s|504, code 504)$/;
    expect([...sorts].filter((sort) => !expected.test(sort))).toEqual([]);
    expect(sorts).toContain('200');
    expect([changes(0, 'DOWN'), changes(1, 'DOWN')]).toEqual(before);
  });

  it('a refusal of its own is in the envelope, with an id that its log has and without a word of the request', async () => {
    const { port } = await listening((_request, response) => response.socket?.destroy());
    const other = await startBalancer(host(5), {
      KINDRED_1: `127.0.0.1:${port}`,
      KINDRED_2: `127.0.0.1:${port}`,
      STORAGE: `127.0.0.1:${port}`,
      S3_BUCKET: 'kindred',
    });
    try {
      const client = new Connection(other.url, false);
      // First nobody can be reached but for writes, and then nobody at all.
      const cut = await client.ask('POST', '/api/v1/users?secret', { secret: true });
      await until(() => other.lines().some((line) => line.includes('has no server available')));
      const none = await client.ask('GET', '/api/v1/users?secret');
      for (const [outcome, status] of [
        [cut, 502],
        [none, 503],
      ] as const) {
        const id = String(outcome.headers['x-request-id']);
        const { code, data } = errorIn(outcome.text);
        expect([outcome.status, code, data]).toEqual([status, status, null]);
        expect(outcome.headers['content-type']).toBe('application/json; charset=utf-8');
        expect(outcome.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
        await until(() => other.lines().some((line) => line.endsWith(` ${id}`)));
      }
      for (const bytes of ['NONSENSE\r\n\r\n', 'GET / HTTP/9\r\n\r\n'])
        expect(await sent(other.url, bytes)).toBe('');
      expect(other.lines().join('\n')).not.toMatch(/secret|NONSENSE/);
    } finally {
      await other.stop();
    }
  });

  it('leaves to the service what it answers itself', async () => {
    const long = await new Connection(balancer.url, false, `long=${'x'.repeat(33_000)}`).ask(
      'GET',
      '/api/v1/users',
    );
    expect([long.status, errorIn(long.text).code]).toEqual([431, 431]);
    const none = await new Connection(balancer.url, false).ask('GET', '/api/v1/users/v1');
    const id = String(none.headers['x-request-id']);
    expect(none.status).toBe(404);
    await until(() => balancer.lines().some((line) => line.endsWith(` ${id}`)));
  });

  it('lets uploads into the bucket through to the storage, and nothing else', async () => {
    const seen: string[] = [];
    const { port } = await listening((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => response.end());
    });
    const storage = `127.0.0.1:${port}`;
    const other = await startBalancer(host(6), {
      KINDRED_1: storage,
      KINDRED_2: storage,
      STORAGE: storage,
      S3_BUCKET: 'other-files',
    });
    try {
      const client = new Connection(other.storageUrl, false);
      const allowed: [string, string][] = [
        ['PUT', '/other-files/staging/a?X-Amz-Signature=1'],
        ['OPTIONS', '/other-files/staging/a'],
      ];
      const refused: [string, string][] = [
        ['GET', '/other-files/staging/a'],
        ['DELETE', '/other-files/staging/a'],
        ['POST', '/other-files/staging/a'],
        ['PUT', '/other-files/files/a'],
        ['PUT', '/other-files/staging/../files/a'],
        ['PUT', '/other-files/staging/%2e%2E/files/a'],
        ['PUT', '/kindred/staging/a'],
        ['PUT', '//staging/a'],
        ['GET', '/'],
        ['POST', '/minio/admin/v3/add-user'],
      ];
      for (const [method, path] of allowed) expect((await client.ask(method, path)).status).toBe(200);
      for (const [method, path] of refused) {
        const outcome = await client.ask(method, path);
        expect([path, outcome.status]).toEqual([path, 403]);
        expect(errorIn(outcome.text).code).toBe(403);
      }
      expect(seen).toEqual(allowed.map(([method, path]) => `${method} ${path}`));
    } finally {
      await other.stop();
    }
  });
});

/** A server on a free port, for as long as the test runs. */
async function listening(answer: RequestListener): Promise<AddressInfo> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** What comes back for bytes on a connection of their own, until it is closed. */
async function sent(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}
