import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Requester } from '../src/common/requester.js';
import { Database } from '../src/postgres/database.js';
import { Drain } from '../src/http/drain.js';
import { MetricsServer } from '../src/metrics/metrics-server.js';
import { Caller, type Json } from './support/client.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

let service: TestService;
let fixture: Fixture;
let url: string;

beforeAll(async () => {
  service = await startTestService({
    env: { METRICS_PORT: '0', CRON_CONCURRENCY: '2', STATEMENT_TIMEOUT_MS: '1000' },
  });
  fixture = await resetFixture(service);
  url = service.app.get(MetricsServer, { strict: false }).url;
});
afterAll(() => service.stop());

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Prometheus' text format, every line of which must be one. */
async function scrape(): Promise<{ text: string; samples: Sample[] }> {
  const response = await fetch(`${url}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const text = await response.text();
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line): Sample => {
      const [, name = '', labels = '', value] =
        /^([a-z0-9_]+)(?:\{(.*)\})? ([0-9.e+-]+|Nan)$/.exec(line) ?? [];
      expect([line, name]).not.toEqual([line, '']);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: Number(value),
      };
    });
  return { text, samples };
}

const valueOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value ?? null;

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries === 200) throw new Error('It never came to hold.');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('requests', () => {
  it('are counted by method, route pattern and class of status, and by nothing that came from a caller', async () => {
    const { owner, anon } = fixture;
    const secret = 'sEcReTtExT';
    await owner.call.get(`/users/${owner.id}?includeMeta=true&x=${secret}`);
    await owner.call.get(`/users?search=${owner.email}`);
    await owner.call.get(`/users/${owner.id}/apikeys`);
    await anon.get(`/users/v${secret}`);
    await anon.get(`//nowhere/${secret}`);
    await anon.post('/sessions', { login: owner.username, password: secret });
    await anon.post('/sessions', { apiKey: owner.key.id, privateKey: owner.key.privateKey });
    await anon.send('PROPFIND', '/users');
    await until(async () => valueOf((await scrape()).samples, COUNT, { method: 'other' }) === 1);

    const { text, samples } = await scrape();
    for (const [method, route, status, count] of [
      ['GET', '/api/v1/users/:id', '2xx', 1],
      ['GET', '/api/v1/users/:id', '4xx', 1],
      ['GET', '/api/v1/users', '2xx', 1],
      ['GET', '/api/v1/users/:id/:relation', '2xx', 1],
      ['POST', '/api/v1/sessions', '4xx', 1],
      ['POST', '/api/v1/sessions', '2xx', 1],
      ['GET', 'none', '4xx', 1],
      ['other', '/api/v1/users', '4xx', 1],
    ] as const) {
      expect([method, route, status, valueOf(samples, COUNT, { method, route, status })]).toEqual([
        method,
        route,
        status,
        count,
      ]);
    }
    const sum = valueOf(samples, 'http_request_duration_seconds_sum', { method: 'POST', status: '4xx' });
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(30);
    for (const { labels } of samples.filter(({ name }) => name === COUNT)) {
      expect(labels.route).toMatch(/^(none|\/[a-z0-9:/-]+)$/i);
      expect(labels.status).toMatch(/^[2-5]xx$/);
    }
    const people = [fixture.owner, fixture.other, fixture.admin];
    const told = people.flatMap(({ id, username, email, realName, key, sessionId }) => [
      id,
      username,
      email,
      realName,
      key.id,
      sessionId,
    ]);
    for (const word of [secret, ...told, '127.0.0.1', 'postgres:']) expect(text).not.toContain(word);
  });
});

const COUNT = 'http_request_duration_seconds_count';

describe('the process', () => {
  it('says how it is doing', async () => {
    const { samples } = await scrape();
    expect(valueOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(valueOf(samples, 'nodejs_eventloop_lag_seconds')).not.toBeNull();
  });
});

describe('the database', () => {
  it('tells busy connections and reads under way', async () => {
    const database = service.app.get(Database, { strict: false });
    const at = async () => {
      const { samples } = await scrape();
      return {
        busy: valueOf(samples, 'database_pool_connections', { state: 'busy' }),
        waiting: valueOf(samples, 'database_pool_waiting'),
        list: valueOf(samples, 'database_reader_statements', { pool: 'list', state: 'under_way' }),
        queue: valueOf(samples, 'database_reader_statements', { pool: 'list', state: 'waiting' }),
      };
    };
    let free: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (free = resolve));
    const one: Requester = { fairnessKey: 'one', isGone: () => false, hasBackpressure: () => false };
    // Sixteen connections, and two more that wait; four reads of one caller under way, and one more that waits.
    const held = Array.from({ length: 18 }, () => database.transaction(() => gate).catch(() => 'refused'));
    const reads = Array.from({ length: 5 }, () =>
      database
        .read('list', { text: 'SELECT pg_sleep(10)', values: [], table: 'none' }, one)
        .catch(() => 'timed out'),
    );
    const seen: Awaited<ReturnType<typeof at>>[] = [await at()];
    expect(await Promise.all(reads)).toEqual(Array<string>(5).fill('timed out'));
    free();
    await Promise.all(held);
    seen.push(await at());
    // The scrape's own look at the queue of jobs is among the reads that wait.
    expect(seen[0]).toMatchObject({ busy: 16, list: 3 });
    expect(seen[0]?.waiting).toBeGreaterThanOrEqual(2);
    expect(seen[0]?.queue).toBeGreaterThanOrEqual(1);
    expect(seen[1]).toMatchObject({ waiting: 0, queue: 0 });
    expect(seen[1]?.busy).toBeLessThan(16);
  });
});

describe('background jobs', () => {
  it('are counted by handler and outcome, with the queue’s age', async () => {
    const { call } = fixture.admin;
    const { body } = await call.post('/cronjobs', { schedule: '0 0 1 1 *', handler: 'Test' });
    const job = String((body.props as Json).id);
    expect((await call.post(`/cronjobs/${job}/run`)).status).toBe(201);
    await until(
      async () =>
        valueOf((await scrape()).samples, 'cron_tries_total', { handler: 'Test', outcome: 'succeeded' }) ===
        1,
    );
    // It is counted before it is written down.
    const finished = `SELECT 1 FROM cronruns WHERE status = 'succeeded'`;
    await until(async () => (await service.sql(finished)).length === 1);
    // Another instance runs a try of the job, so the one that is due must wait.
    const insert =
      'INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, "leasedBy", "leaseUntil")';
    const jobs = 'FROM cronjobs WHERE schedule = $1';
    const values = ['0 0 1 1 *'];
    await service.sql(
      `${insert} SELECT id, now() - interval '1 hour', now(), 'running', 'another', now() + interval '1 hour' ${jobs}`,
      values,
    );
    await service.sql(
      `${insert} SELECT id, now(), now() - interval '90 seconds', 'queued', NULL, NULL ${jobs}`,
      values,
    );
    const { text, samples } = await scrape();
    expect(valueOf(samples, 'cron_runs', { status: 'queued' })).toBe(1);
    expect(valueOf(samples, 'cron_runs', { status: 'running' })).toBe(1);
    expect(valueOf(samples, 'cron_runs_here')).toBe(0);
    const age = valueOf(samples, 'cron_queue_age_seconds');
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(150);
    expect(text).not.toContain(job);
  });

  it('are left out while the database does not answer, and the rest is told', async () => {
    await service.sql('BEGIN');
    await service.sql('LOCK TABLE cronruns IN ACCESS EXCLUSIVE MODE');
    try {
      const { samples } = await scrape();
      expect(valueOf(samples, 'cron_runs', { status: 'queued' })).toBeNull();
      expect(valueOf(samples, 'cron_queue_age_seconds')).toBeNull();
      expect(valueOf(samples, 'cron_tries_total', { handler: 'Test' })).toBe(1);
      expect(valueOf(samples, 'database_pool_connections', { state: 'idle' })).not.toBeNull();
    } finally {
      await service.sql('ROLLBACK');
    }
    expect(valueOf((await scrape()).samples, 'cron_runs', { status: 'queued' })).not.toBeNull();
  });
});

describe('the address', () => {
  it('is its own: the API’s has no metrics, and the metrics’ nothing else', async () => {
    expect((await service.anon.get('//metrics')).status).toBe(404);
    expect((await service.anon.get('/metrics')).status).toBe(404);
    expect((await fetch(`${url}/api/v1/users`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('says what fails in the envelope, with an id that its line in the log has', async () => {
    const of = (id: string | null) =>
      service.log.map((line) => JSON.parse(line) as Json).filter(({ requestId }) => requestId === id);
    const cases = [
      ['GET', '/health/live/', 404, null],
      ['POST', '/health/ready', 405, '/health/ready'],
    ] as const;
    for (const [method, path, status, route] of cases) {
      const answer = await fetch(`${url}${path}?search=hidden`, { method });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        status,
        'application/json; charset=utf-8',
      ]);
      const { error } = (await answer.json()) as { error: { code: number } };
      expect(error).toEqual({ code: expect.any(Number), message: expect.any(String), data: null });
      const id = answer.headers.get('x-request-id');
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      await until(() => Promise.resolve(of(id).length > 0));
      expect(of(id)).toEqual([
        expect.objectContaining({ level: 'info', msg: 'request', method, route, status, error: error.code }),
      ]);
    }
    expect(service.log.join()).not.toContain('hidden');
    // What goes well is asked every second, and leaves no line.
    const well = await fetch(`${url}/health/ready`);
    expect([well.status, await well.json()]).toEqual([200, { status: 'ok' }]);
    expect(of(well.headers.get('x-request-id'))).toEqual([]);
  });

  it('is not ready while the service stops, and says so there too', async () => {
    const { databaseUrl } = service;
    const other = await startTestService({ databaseUrl, env: { METRICS_PORT: '0' } });
    try {
      const ready = `${other.app.get(MetricsServer, { strict: false }).url}/health/ready`;
      expect((await fetch(ready)).status).toBe(200);
      other.app.get(Drain, { strict: false }).begin();
      const answer = await fetch(ready);
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
      expect(await answer.json()).toEqual({
        error: { code: 503, message: 'The service is stopping.', data: null },
      });
      // It stops as planned, so neither line is an error.
      await fetch(`${other.url}/health/ready`);
      const lines = () =>
        other.log
          .map((line) => JSON.parse(line) as Json)
          .filter(({ route, status }) => route === '/health/ready' && status === 503);
      await until(() => Promise.resolve(lines().length === 2));
      expect(lines()).toEqual([
        expect.objectContaining({ level: 'info', requestId: answer.headers.get('x-request-id') }),
        expect.objectContaining({ level: 'info' }),
      ]);
    } finally {
      await other.stop();
    }
  });

  it('is there only when asked for', async () => {
    const { databaseUrl } = service;
    const without = await startTestService({ databaseUrl });
    try {
      expect(() => without.app.get(MetricsServer, { strict: false })).toThrow();
      expect((await new Caller(without.url).get('//metrics')).status).toBe(404);
    } finally {
      await without.stop();
    }
  });

  it('stops the start when it is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as { port: number }).port);
    const { databaseUrl } = service;
    const connections = () =>
      service.sql('SELECT pid FROM pg_stat_activity WHERE datname = current_database() ORDER BY pid');
    const before = await connections();
    try {
      await expect(startTestService({ databaseUrl, env: { METRICS_PORT: port } })).rejects.toThrow(
        /^The metrics can’t be served: .*Set METRICS_PORT/,
      );
      // Nothing of it goes on.
      const own = new Set(before.map(({ pid }) => pid));
      await until(async () => (await connections()).every(({ pid }) => own.has(pid)));
    } finally {
      taken.close();
    }
  });
});
