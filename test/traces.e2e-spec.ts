import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nameOf } from '../src/tracing/statement-name.js';
import { tracesUrl } from '../src/config/traces-url.js';
import type { Json } from './support/client.js';
import { TEST_KINDS } from './kinds/kinds.js';
import { Collector, type ReceivedSpan } from './support/collector.js';
import { type Fixture, PASSWORD, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const collector = new Collector();
let service: TestService;
let fixture: Fixture;

beforeAll(async () => {
  // Read by the SDK itself.
  process.env.OTEL_BSP_SCHEDULE_DELAY = '50';
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'deployment.environment.name=test';
  service = await startTestService({
    kinds: TEST_KINDS,
    template: 'kinds',
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.start(),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'kindred-test',
      CRON_CONCURRENCY: '2',
    },
  });
  fixture = await resetFixture(service);
});
afterAll(async () => {
  try {
    await service.stop();
  } finally {
    collector.stop();
  }
});

const named = (name: string, status: number) => (span: ReceivedSpan) =>
  span.name === name && span.attributes['http.response.status_code'] === status;

describe('a request', () => {
  it('is a span under that of its caller, with its statements under it', async () => {
    const { owner } = fixture;
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const answer = await owner.call.put(
      `/users/${owner.id}?includeMeta=true`,
      { realName: 'Another Name' },
      { headers: { traceparent } },
    );
    expect(answer.status).toBe(200);
    const request = await collector.span(named('PUT /api/v1/users/:id', 200));
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: SERVER });
    expect(request.attributes).toEqual({
      'http.request.method': 'PUT',
      'http.route': '/api/v1/users/:id',
      'http.response.status_code': 200,
      'kindred.request_id': answer.headers.get('x-request-id'),
    });
    expect(request.status.code ?? 0).not.toBe(ERROR);

    const under = collector.under(request);
    expect(under.map(({ name }) => name)).toEqual(['SELECT sessions', 'SELECT users', 'transaction']);
    expect(under[0]).toMatchObject({ traceId, kind: CLIENT });
    expect(under[0]?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'sessions',
      'db.query.summary': 'SELECT sessions',
    });
    const statements = collector.under(under[2] as ReceivedSpan);
    expect(statements.map(({ name }) => name)).toEqual(['SELECT users', 'UPDATE users']);
  });

  it('has the statement that it may share with other writes under it, by what that does', async () => {
    const { owner } = fixture;
    const made = await owner.call.post('/dummyitems', { name: 'a', category: 'Food' });
    const { id } = made.body.props as Json;
    expect((await owner.call.put(`/dummyitems/${String(id)}`, { name: 'b' })).status).toBe(200);
    for (const [span, statement] of [
      [named('POST /api/v1/dummyitems', 201), 'INSERT dummyitems'],
      [named('PUT /api/v1/dummyitems/:id', 200), 'UPDATE dummyitems'],
    ] as const) {
      const under = collector.under(await collector.span(span));
      const [operation, table] = statement.split(' ');
      expect(under.map(({ name }) => name)).toContain(statement);
      expect(under.find(({ name }) => name === statement)?.attributes).toMatchObject({
        'db.operation.name': operation,
        'db.collection.name': table,
      });
    }
  });

  it('has a trace of its own; reads of the same moment stand under the request that came first', async () => {
    const { owner, other } = fixture;
    const list = (id: string) => `/users/${id}/apikeys?search=alpha`;
    await Promise.all([owner, other, owner, other].map((person) => person.call.get(list(person.id))));
    await owner.call.get(list(owner.id));
    const isOne = named('GET /api/v1/users/:id/:relation', 200);
    await collector.span((span) => isOne(span) && collector.spans.filter(isOne).length === 5);
    const requests = collector.spans.filter(isOne);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(5);
    expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(Array<string>(5).fill(''));
    const own = new Map(requests.map(({ spanId, traceId }) => [spanId, traceId]));
    const lists = collector.spans.filter(
      ({ parentSpanId, name }) => own.has(parentSpanId) && name === 'SELECT apikeys',
    );
    for (const { parentSpanId, traceId } of lists) expect(traceId).toBe(own.get(parentSpanId));
    // Two different lists at least, and one that was asked for alone.
    expect(lists.length).toBeGreaterThanOrEqual(3);
    const alone = requests.at(-1) as ReceivedSpan;
    expect(collector.under(alone).map(({ name }) => name)).toContain('SELECT apikeys');
  });

  it('that fails says which sort of error it was, and no more', async () => {
    const { anon, owner } = fixture;
    const body = { username: 'newcomer', realName: 'New', email: owner.email, password: PASSWORD };
    expect((await anon.post('/users', body)).status).toBe(409);
    const request = await collector.span(named('POST /api/v1/users', 409));
    expect(request.status.code ?? 0).not.toBe(ERROR); // it was the client's fault
    const insert = await collector.span(
      (span) => span.traceId === request.traceId && span.name === 'INSERT users',
    );
    expect(insert.attributes['error.type']).toBe('23505');
    expect(insert.status).toEqual({ code: ERROR });
    expect(insert.events).toEqual([]);

    expect((await anon.get('//no/such/place')).status).toBe(404);
    const lost = await collector.span(named('GET', 404));
    expect(lost.attributes).not.toHaveProperty('http.route');
  });
});

describe('a job', () => {
  it('is a trace of its own', async () => {
    const { call } = fixture.admin;
    const made = await call.post('/cronjobs', { schedule: '0 0 1 1 *', handler: 'DeleteExpiredSessions' });
    await call.post(`/cronjobs/${String((made.body.props as Json).id)}/run`);
    const run = await collector.span(({ name }) => name === 'cron DeleteExpiredSessions');
    expect(run.parentSpanId).toBe('');
    expect(Object.keys(run.attributes)).toEqual(['kindred.cron.handler', 'kindred.cron.attempt']);
    const names = collector.spans.filter(({ traceId }) => traceId === run.traceId).map(({ name }) => name);
    expect(names).toContain('DELETE sessions');
  });
});

describe('all that was sent', () => {
  it('begins with requests and jobs, comes from a named service, and holds nothing secret', async () => {
    const { owner, anon } = fixture;
    const secret = 'sEcReTtExT';
    await anon.get('//health/ready');
    await owner.call.get(`/users?search=${secret}&username=${secret}`);
    await owner.call.get(`/sessions/${owner.sessionId}`);
    await anon.post('/sessions', { login: owner.email, password: secret });
    await collector.span(named('POST /api/v1/sessions', 401));
    await collector.span(named('GET /api/v1/sessions/:token', 200));

    expect(collector.types).toEqual(new Set(['POST /v1/traces application/json']));
    for (const resource of collector.resources) {
      expect(resource).toMatchObject({
        'service.name': 'kindred-test',
        'deployment.environment.name': 'test',
      });
    }
    const known = new Set(collector.spans.map(({ spanId }) => spanId));
    const roots = collector.spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
    expect(roots.filter(({ kind, name }) => kind !== SERVER && !name.startsWith('cron '))).toEqual([]);
    expect(roots.map(({ name }) => name).filter((name) => name.includes('health'))).toEqual([]);

    const people = [fixture.owner, fixture.other, fixture.admin];
    const told = people.flatMap(({ id, username, email, realName, key, sessionId }) => {
      return [id, username, email, realName, key.id, key.privateKey, sessionId];
    });
    const sql = ['WHERE', 'RETURNING', '$1', 'passwordHash', 'argon2', 'duplicate key', 'Key ('];
    for (const word of [secret, PASSWORD, 'Another Name', 'alpha', '127.0.0.1', ...told, ...sql]) {
      expect([word, collector.raw.includes(word)]).toEqual([word, false]);
    }
  });

  it('is protobuf unless JSON is asked for', async () => {
    await service.stop();
    const binary = new Collector();
    try {
      const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${await binary.start()}/here` };
      service = await startTestService({
        kinds: TEST_KINDS,
        template: 'kinds',
        env,
      });
      await service.anon.get('/test');
      await service.stop(); // which sends what is left
    } finally {
      binary.stop();
    }
    expect(binary.types).toEqual(new Set(['POST /here application/x-protobuf']));
    expect(binary.raw).toContain('GET /api/v1/test');
  });
});

describe('where nobody asks for traces', () => {
  it.each([
    [{}, null],
    [{ otelEndpoint: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    [{ otelEndpoint: 'http://c/otlp/' }, 'http://c/otlp/v1/traces'],
    [{ otelEndpoint: 'http://c', otelTracesEndpoint: 'http://t/x' }, 'http://t/x'],
    [{ otelExporter: 'otlp' }, 'http://localhost:4318/v1/traces'],
    [{ otelExporter: 'none', otelEndpoint: 'http://c' }, null],
    [{ otelDisabled: true, otelExporter: 'otlp', otelTracesEndpoint: 'http://t' }, null],
  ])('%j sends to %p', (given, url) => {
    const none = { otelDisabled: false, otelExporter: '', otelEndpoint: '', otelTracesEndpoint: '' };
    expect(tracesUrl({ ...none, ...given })).toBe(url);
  });

  it('the service loads neither OpenTelemetry nor a client of Prometheus, nor one of S3', async () => {
    const asUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
    // The hooks run in a thread of their own, whose console might come after the end of the process.
    const hooks =
      asUrl(`import { writeSync } from 'node:fs'; export const resolve = (name, context, next) => {
      if (/opentelemetry|prom-client|minio/.test(name)) writeSync(1, 'LOADED ' + name + '\\n');
      return next(name, context);
    };`);
    const register = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`);
    const run = async (what: string) => {
      const program = `await import('./dist/src/${what}.js'); console.log('done'); process.exit();`;
      const args = ['--import', register, '--input-type=module', '-e', program];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return output;
    };
    const [service, tracing] = await Promise.all([run('service'), run('tracing/start-tracing')]);
    expect(service).toBe('done\n');
    expect(tracing).toContain('LOADED @opentelemetry/api\n'); // so the look is a real one
  });
});

describe('the name of a statement', () => {
  it.each([
    ['SELECT id FROM "users" WHERE id = $1', undefined, 'SELECT users'],
    ['INSERT INTO sessions ("userId") SELECT id FROM "users"', undefined, 'INSERT sessions'],
    ['UPDATE "apikeys" SET name = $1', undefined, 'UPDATE apikeys'],
    [`SELECT 'x' AS secret`, undefined, 'SELECT'],
    ['WITH due AS (SELECT 1) UPDATE cronruns SET x = 1', 'cron_claim', 'cron_claim'],
    [`NOTIFY channel, 'secret'`, undefined, 'statement'],
  ])('of %p', (statement, name, summary) => {
    expect(nameOf({ name, text: statement }).summary).toBe(summary);
  });
});
