import { Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IsInt, Max, Min } from 'class-validator';
import { CronHandler, type CronContext, type CronTask } from '../src/scheduler/cron-handler.js';
import { idOf, list, made, record, refusal, rowId } from './cases/data-helpers.js';
import { installClock, moveClock, TEST_CLOCK, until } from './support/cron-clock.js';
import { createDatabase } from './support/database.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { startTestService, type TestService } from './support/service.js';

/** Cron jobs over HTTP, on one instance, under a clock that the test moves. */

class CountParams {
  @IsInt()
  @Min(1)
  @Max(9)
  n = 1;
}

const counted: { params: CountParams; context: CronContext }[] = [];

@CronHandler('Count', { params: CountParams })
class CountHandler implements CronTask<CountParams> {
  run(params: CountParams, context: CronContext): Promise<void> {
    counted.push({ params, context });
    return Promise.resolve();
  }
}

@CronHandler('Hangs')
class HangsHandler implements CronTask {
  run(_params: object, { signal }: CronContext): Promise<void> {
    signal.addEventListener('abort', () => aborted++);
    return new Promise(() => undefined);
  }
}
let aborted = 0;

@Module({ providers: [CountHandler, HangsHandler] })
class CountModule {}

const START = '2026-11-28T12:00:30.000Z';
const YEARLY = { schedule: '0 0 1 1 *', handler: 'Test' };
let database: { url: string; drop(): Promise<void> };
let service: TestService;
let people: Fixture;

beforeAll(async () => {
  database = await createDatabase('plain');
  await installClock(database.url, START);
  service = await startTestService({
    kinds: [CountModule],
    databaseUrl: database.url,
    env: { CRON_CONCURRENCY: '4' },
    scheduler: { clock: TEST_CLOCK, sweep: 60_000, runLimit: 1000 },
  });
  people = await resetFixture(service);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});
beforeEach(async () => {
  await service.sql('DELETE FROM cronjobs');
  await installClock(database.url, START);
  counted.length = 0;
});

interface RunRow {
  id: string;
  status: string;
  attempt: string;
  error: string | null;
  scheduledFor: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const runsOf = (job: string) =>
  service.sql<RunRow>('SELECT * FROM cronruns WHERE "cronJobId" = $1 ORDER BY "scheduledFor"', [
    rowId(service, 'CronJob', job),
  ]);

/** Waits until the job has so many runs and all of them are over. */
const settled = (job: string, n: number) =>
  until(`${n} finished runs`, async () => {
    const runs = await runsOf(job);
    return runs.length >= n && runs.every(({ status }) => ['succeeded', 'failed'].includes(status)) && runs;
  });

const timers = () => service.app.get(SchedulerRegistry).getTimeouts();
const timerOf = (job: string) => `CronJob ${rowId(service, 'CronJob', job)}`;

describe('the kinds', () => {
  it('a job has all its props, links and options, and nextRunAt is true', async () => {
    const answer = await people.admin.call.post(
      '/cronjobs?includeMeta=true&includeLinks=true&includeOptions=true',
      {
        schedule: '30 2 * * *',
        timezone: 'Europe/Berlin',
        handler: 'Test',
        note: 'nightly',
      },
    );
    expect(answer.status).toBe(201);
    const id = idOf(answer);
    expect(answer.body).toMatchObject({
      props: {
        schedule: '30 2 * * *',
        timezone: 'Europe/Berlin',
        handler: 'Test',
        params: null,
        enabled: true,
        note: 'nightly',
        lastRunAt: null,
        nextRunAt: '2026-11-29T01:30:00.000Z',
      },
      meta: { kind: 'CronJob', isOwner: true },
      links: {
        runs: { href: `/api/v1/cronjobs/${id}/runs`, methods: ['GET'], usage: 'rest' },
        run: { href: `/api/v1/cronjobs/${id}/run`, methods: ['POST'], usage: 'rest' },
      },
    });
    const options = await people.admin.call.get('/cronjobs/options');
    const names = [
      'Count',
      'DeleteExpiredSessions',
      'DeleteOldCronRuns',
      'DeleteUnusedObjectFiles',
      'Hangs',
      'Test',
    ];
    expect(options.body).toMatchObject({
      handler: names.map((name) => ({ label: name, value: name })),
      enabled: [
        { label: 'Disabled', value: 'false' },
        { label: 'Enabled', value: 'true' },
      ],
    });
    expect(record(answer).options).toEqual(options.body);
  });

  it('defaults: UTC, enabled', async () => {
    const answer = await people.admin.call.post('/cronjobs', YEARLY);
    expect(record(answer).props).toMatchObject({
      timezone: 'UTC',
      enabled: true,
      nextRunAt: '2027-01-01T00:00:00.000Z',
    });
  });

  it('schedule and handler can be filtered by', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', { schedule: '5 4 * * *', handler: 'Test' });
    await made(call, '/cronjobs', { schedule: '@daily', handler: 'DeleteExpiredSessions' });
    for (const query of [`schedule=${encodeURIComponent('5 4 * * *')}`, 'handler=Test']) {
      const answer = await call.get(`/cronjobs?${query}`);
      expect(list(answer).items.map(({ props }) => props.id)).toEqual([id]);
    }
  });

  it('nextRunAt follows every change, and a disabled job has none', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', YEARLY);
    const next = async (body: object) => record(await call.put(`/cronjobs/${id}`, body)).props.nextRunAt;
    expect(await next({ schedule: '0 12 * * *' })).toBe('2026-11-29T12:00:00.000Z');
    expect(await next({ timezone: 'America/New_York' })).toBe('2026-11-28T17:00:00.000Z');
    expect(await next({ note: 'x' })).toBe('2026-11-28T17:00:00.000Z');
    expect(await next({ enabled: false })).toBeNull();
    expect(await next({ schedule: '0 13 * * *' })).toBeNull();
    expect(await next({ enabled: true })).toBe('2026-11-28T18:00:00.000Z');
  });

  it('runs are read-only, and only administrators see them', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', YEARLY);
    const run = await call.post(`/cronjobs/${id}/run?includeMeta=true&includeRelated=cronJob`);
    expect(run.status).toBe(201);
    expect(run.body).toMatchObject({
      props: { cronJobId: id, status: 'queued', attempt: 0, startedAt: null, error: null },
      meta: { kind: 'CronRun' },
      related: { cronJob: { props: { id } } },
    });
    await settled(id, 1);
    const path = `/cronruns/${idOf(run)}`;
    const shown = await call.get(path);
    expect(record(shown).props).toMatchObject({ status: 'succeeded', attempt: 1, error: null });
    expect(record(shown).props).not.toHaveProperty('leasedBy');
    expect(refusal(await call.put(path, { status: 'failed' }))[0]).toBe(403);
    expect(refusal(await call.delete(path))[0]).toBe(403);
    expect(refusal(await call.post('/cronruns', { cronJobId: id }))[0]).toBe(403);
    expect((await people.other.call.get(path)).status).toBe(404);
    expect((await people.other.call.get('/cronruns')).status).toBe(403);
    expect((await people.anon.get('/cronruns')).status).toBe(401);
    expect((await people.other.call.get(`/cronjobs/${id}/runs`)).status).toBe(404);
    const history = await call.get(`/cronjobs/${id}/runs?status=succeeded`);
    expect(list(history).items.map(({ props }) => props.id)).toEqual([idOf(run)]);
  });
});

describe('cron-schedule', () => {
  it('CS-01 only administrators touch cron jobs (rows that one may not see are 404, not 403)', async () => {
    const id = await made(people.admin.call, '/cronjobs', YEARLY);
    const { other, anon } = people;
    expect((await other.call.post('/cronjobs', YEARLY)).status).toBe(403);
    expect((await anon.post('/cronjobs', YEARLY)).status).toBe(401);
    expect((await other.call.put(`/cronjobs/${id}`, { enabled: false })).status).toBe(404);
    expect((await other.call.delete(`/cronjobs/${id}`)).status).toBe(404);
    expect((await other.call.post(`/cronjobs/${id}/run`)).status).toBe(404);
    expect((await anon.post(`/cronjobs/${id}/run`)).status).toBe(404);
    expect((await other.call.get('/cronjobs')).status).toBe(403);
    expect((await other.call.get('/cronjobs/options')).status).toBe(403);
    expect(record(await people.admin.call.get(`/cronjobs/${id}`)).props).toMatchObject({ enabled: true });
    expect(await runsOf(id)).toEqual([]);
  });

  it('CS-03 dates that never come are refused at once', async () => {
    for (const schedule of ['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *']) {
      const start = performance.now();
      const answer = await people.admin.call.post('/cronjobs', { schedule, handler: 'Test' });
      expect([schedule, ...refusal(answer)]).toEqual([schedule, 422, 442, 'schedule']);
      expect(performance.now() - start).toBeLessThan(1000);
    }
    const id = await made(people.admin.call, '/cronjobs', YEARLY);
    const answer = await people.admin.call.put(`/cronjobs/${id}`, { schedule: '0 0 30 2 *' });
    expect(refusal(answer)).toEqual([422, 442, 'schedule']);
  });

  it('CS-04 the 29th of February is legal', async () => {
    const answer = await people.admin.call.post('/cronjobs', { schedule: '0 0 29 2 *', handler: 'Test' });
    expect(record(answer).props).toMatchObject({ nextRunAt: '2028-02-29T00:00:00.000Z' });
  });

  it.each(['* * * * * *', '@reboot', '61 * * * *', '* * * *', 'x'.repeat(61), '0 0 L * *', 7, ['@daily']])(
    'a schedule of %j is 442',
    async (schedule) => {
      const answer = await people.admin.call.post('/cronjobs', { schedule, handler: 'Test' });
      expect(refusal(answer)).toEqual([422, 442, 'schedule']);
    },
  );

  it.each(['Mars/Olympus', '+02:00', 'x'.repeat(61)])('a time zone of %j is 442', async (timezone) => {
    const answer = await people.admin.call.post('/cronjobs', { ...YEARLY, timezone });
    expect(refusal(answer)).toEqual([422, 442, 'timezone']);
  });

  it('CS-06 unknown handlers', async () => {
    const names = [
      'Nope',
      '',
      '__proto__',
      'constructor',
      'toString',
      '../../x',
      'Test.js',
      'test',
      ['Test'],
      null,
    ];
    for (const handler of names) {
      const [status, code, data] = refusal(await people.admin.call.post('/cronjobs', { ...YEARLY, handler }));
      expect([handler, status, data]).toEqual([handler, 422, 'handler']);
      expect([handler, code]).toEqual([handler, handler === '' || handler === null ? 441 : 442]);
    }
  });

  it('CS-08 params must be a bounded object', async () => {
    const { call } = people.admin;
    const post = (params: unknown) => call.post('/cronjobs', { ...YEARLY, params });
    expect(refusal(await post([1]))).toEqual([422, 442, 'params']);
    expect(refusal(await post('{}'))).toEqual([422, 442, 'params']);
    const params = { a: { b: { c: [1, null, true, 'x'] } } };
    const job = await made(call, '/cronjobs', { ...YEARLY, params });
    expect(record(await call.get(`/cronjobs/${job}`)).props.params).toEqual(params);
    expect((await post({ text: 'x'.repeat(1 << 20) })).status).toBe(413);
    expect(refusal(await post({ text: 'x'.repeat(70_000) }))).toEqual([422, 442, 'params']);
    const deep = (n: number) => `{"a":`.repeat(n) + '1' + '}'.repeat(n);
    const raw = (params: string) =>
      call.post('/cronjobs', `{"schedule":"0 0 1 1 *","handler":"Test","params":${params}}`);
    expect([400, 422]).toContain((await raw(deep(5000))).status);
    expect((await raw(deep(30))).status).toBe(201);
  });

  it('params are held against the class of the handler, also when only the handler changes', async () => {
    const { call } = people.admin;
    for (const params of [{ n: 0 }, { n: '1' }, { n: 1, more: true }]) {
      const answer = await call.post('/cronjobs', { ...YEARLY, handler: 'Count', params });
      expect(refusal(answer)).toEqual([422, 442, 'params']);
    }
    const id = await made(call, '/cronjobs', { ...YEARLY, params: { more: true } });
    expect(refusal(await call.put(`/cronjobs/${id}`, { handler: 'Count' }))).toEqual([422, 442, 'params']);
    expect((await call.put(`/cronjobs/${id}`, { handler: 'Count', params: { n: 9 } })).status).toBe(200);
    await call.post(`/cronjobs/${id}/run`);
    await settled(id, 1);
    expect(counted.map(({ params }) => params)).toEqual([{ n: 9 }]);
    expect(counted[0]?.params).toBeInstanceOf(CountParams);
    expect((await call.put(`/cronjobs/${id}`, { params: null })).status).toBe(200);
    await call.post(`/cronjobs/${id}/run`);
    await settled(id, 2);
    expect(counted[1]?.params).toEqual({ n: 1 });
  });

  it('CS-09 long intervals do not fire at once, and no timer is longer than a day', async () => {
    const { call } = people.admin;
    const before = service.log.length;
    const jobs = [
      await made(call, '/cronjobs', YEARLY),
      await made(call, '/cronjobs', { schedule: '0 4 1 * *', handler: 'Test' }),
    ];
    await until('timers', () => Promise.resolve(jobs.every((job) => timers().includes(timerOf(job)))));
    for (const job of jobs) {
      const timer = service.app.get(SchedulerRegistry).getTimeout<{ _idleTimeout: number }>(timerOf(job));
      expect(timer._idleTimeout).toBe(86_400_000);
      expect(await runsOf(job)).toEqual([]);
    }
    expect(service.log.slice(before).join()).not.toContain('TimeoutOverflow');
  });
});

describe('the SchedulerRegistry mirrors the records', () => {
  it('from creation to deletion, through enabled', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', YEARLY);
    const name = timerOf(id);
    const has = (there: boolean) =>
      until(
        `timer ${there ? 'there' : 'gone'}`,
        () => Promise.resolve(timers().includes(name) === there),
        2000,
      );
    await has(true);
    await call.put(`/cronjobs/${id}`, { enabled: false });
    await has(false);
    await call.put(`/cronjobs/${id}`, { enabled: true });
    await has(true);
    await call.delete(`/cronjobs/${id}`);
    await has(false);
  });

  it('a timer by itself runs a job when its tick comes', async () => {
    const { call } = people.admin;
    await installClock(database.url, '2026-11-28T12:00:59.800Z');
    const id = await made(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    await until('the timer', () => Promise.resolve(timers().includes(timerOf(id))));
    await service.sql('UPDATE testing.clock SET since = clock_timestamp(), rate = 1');
    const [run] = await settled(id, 1);
    expect(run?.scheduledFor.toISOString()).toBe('2026-11-28T12:01:00.000Z');
    expect(run?.startedAt && run.startedAt >= run.scheduledFor).toBe(true);
  });
});

describe('ticks', () => {
  it('each minute is run once, and lastRunAt and nextRunAt tell', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', { schedule: '* * * * *', handler: 'Count' });
    for (let n = 1; n <= 3; n++) {
      await moveClock(service, { by: '1 minute' });
      await settled(id, n);
    }
    expect((await runsOf(id)).map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16))).toEqual([
      '12:01',
      '12:02',
      '12:03',
    ]);
    expect(record(await call.get(`/cronjobs/${id}`)).props).toMatchObject({
      lastRunAt: '2026-11-28T12:03:30.000Z',
      nextRunAt: '2026-11-28T12:04:00.000Z',
    });
    expect(counted).toHaveLength(3);
  });

  it('CR-08 clock jumps: missed ticks collapse to one run, and none is run twice when the clock goes back', async () => {
    const { call } = people.admin;
    const minutely = await made(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    const hourly = await made(call, '/cronjobs', { schedule: '0 * * * *', handler: 'Test' });
    await moveClock(service, { by: '6 hours' });
    expect(await settled(minutely, 1)).toHaveLength(1);
    expect(await settled(hourly, 1)).toHaveLength(1);
    await moveClock(service, { by: '1 minute' });
    expect(await settled(minutely, 2)).toHaveLength(2);
    expect(await runsOf(hourly)).toHaveLength(1);
    await moveClock(service, { by: '-1 minute' });
    const next = (at: string) =>
      until(`nextRunAt ${at}`, async () => {
        const { props } = record(await call.get(`/cronjobs/${minutely}`));
        return props.nextRunAt === at;
      });
    await next('2026-11-28T18:01:00.000Z');
    await moveClock(service, { by: '1 minute' });
    await next('2026-11-28T18:02:00.000Z');
    expect(await runsOf(minutely)).toHaveLength(2); // 18:01 has had its run
    await moveClock(service, { by: '-1 hour' });
    await next('2026-11-28T17:02:00.000Z');
    await moveClock(service, { by: '1 minute' });
    expect(await settled(minutely, 3)).toHaveLength(3);
    const all = (await runsOf(minutely)).map(({ scheduledFor }) => scheduledFor.toISOString());
    expect(new Set(all).size).toBe(all.length);
  });

  it('CR-06 spring forward in New York', async () => {
    const { call } = people.admin;
    await moveClock(service, { to: '2026-03-08T06:58:00Z' });
    const zone = { timezone: 'America/New_York', handler: 'Test' };
    const at230 = await made(call, '/cronjobs', { ...zone, schedule: '30 2 * * *' });
    const quarter = await made(call, '/cronjobs', { ...zone, schedule: '*/15 * * * *' });
    const at3 = await made(call, '/cronjobs', { ...zone, schedule: '0 3 * * *' });
    const before = service.log.length;
    for (const [to, due] of [
      ['06:59', 0],
      ['07:00', 1],
      ['07:01', 1],
      ['07:14', 1],
      ['07:15', 2],
      ['07:30', 3],
      ['07:31', 3],
      ['07:45', 4],
      ['08:10', 5],
    ] as const) {
      await moveClock(service, { to: `2026-03-08T${to}:00Z` });
      await settled(quarter, due);
    }
    const times = async (job: string) =>
      (await settled(job, 1)).map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16));
    expect(await times(at230)).toEqual(['07:00']);
    expect(await times(at3)).toEqual(['07:00']);
    expect(await times(quarter)).toEqual(['07:00', '07:15', '07:30', '07:45', '08:00']);
    expect(service.log.slice(before).filter((line) => line.includes('"level":"warn"'))).toEqual([]);
  });

  it('an overlap runs a job once', async () => {
    await moveClock(service, { to: '2026-10-25T00:20:00Z' });
    const id = await made(people.admin.call, '/cronjobs', {
      schedule: '30 2 * * *',
      timezone: 'Europe/Berlin',
      handler: 'Test',
    });
    for (const to of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z']) {
      await moveClock(service, { to });
      await settled(id, 1);
    }
    expect((await runsOf(id)).map(({ scheduledFor }) => scheduledFor.toISOString())).toEqual([
      '2026-10-25T00:30:00.000Z',
    ]);
  });

  it('a disabled job does not run, but for those who ask; what waits is cancelled', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", attempt) VALUES ($1, '2026-11-28 11:00Z', '2026-11-28 13:00Z', 1)`,
      [rowId(service, 'CronJob', id)],
    );
    await call.put(`/cronjobs/${id}`, { enabled: false });
    await moveClock(service, { by: '2 hours' });
    const asked = await call.post(`/cronjobs/${id}/run`);
    expect(asked.status).toBe(201);
    const runs = await settled(id, 2);
    expect(runs.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'The job was disabled before this run could begin.'],
      ['succeeded', null],
    ]);
  });

  it('two administrators edit at once: one of two If-Match wins, and nextRunAt fits what is stored', async () => {
    const { call } = people.admin;
    const first = await call.post('/cronjobs', YEARLY);
    const id = idOf(first);
    const headers = { 'if-match': first.headers.get('etag') ?? '' };
    const schedules = ['0 1 * * *', '0 2 * * *'];
    const answers = await Promise.all(
      schedules.map((schedule) => call.put(`/cronjobs/${id}`, { schedule }, { headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    await Promise.all([
      call.put(`/cronjobs/${id}`, { schedule: '0 5 * * *' }),
      call.put(`/cronjobs/${id}`, { timezone: 'Asia/Tokyo' }),
    ]);
    expect(record(await call.get(`/cronjobs/${id}`)).props).toMatchObject({
      schedule: '0 5 * * *',
      timezone: 'Asia/Tokyo',
      nextRunAt: '2026-11-28T20:00:00.000Z',
    });
  });

  it('ticks and administrators do not get into each other’s way: the ETag stays, the run comes', async () => {
    const { call } = people.admin;
    const first = await call.post('/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    await moveClock(service, { by: '1 minute' });
    await settled(idOf(first), 1);
    const headers = { 'if-match': first.headers.get('etag') ?? '' };
    const answer = await call.put(`/cronjobs/${idOf(first)}`, { note: 'mine' }, { headers });
    expect(answer.status).toBe(200);
  });

  it('asking often queues as often, up to a bound', async () => {
    const { call } = people.admin;
    const id = await made(call, '/cronjobs', YEARLY);
    const answers = await Promise.all(Array.from({ length: 10 }, () => call.post(`/cronjobs/${id}/run`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await settled(id, 10)).toHaveLength(10);
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", manual)
       SELECT $1, t, '2030-01-01', true FROM generate_series('2029-01-01'::timestamptz, '2029-01-01 01:39', '1 minute') t`,
      [rowId(service, 'CronJob', id)],
    );
    expect(refusal(await call.post(`/cronjobs/${id}/run`))).toEqual([409, 409, null]);
  });
});

describe('CR-13 a handler that never ends', () => {
  it('is over at the time limit; others run on time meanwhile, and it is tried again later', async () => {
    const { call } = people.admin;
    const hanging = await made(call, '/cronjobs', { ...YEARLY, handler: 'Hangs' });
    const other = await made(call, '/cronjobs', YEARLY);
    await call.post(`/cronjobs/${hanging}/run`);
    await call.post(`/cronjobs/${other}/run`);
    await settled(other, 1);
    expect((await runsOf(hanging)).map(({ status }) => status)).not.toContain('succeeded');
    const run = await until('the limit', async () => (await runsOf(hanging)).find(({ error }) => error));
    expect(run).toMatchObject({
      status: 'queued',
      attempt: '1',
      error: 'The handler took longer than 1 seconds.',
      finishedAt: null,
    });
    expect(aborted).toBe(1);
    await moveClock(service, { by: '1 minute' });
    await until('the second try', async () => (await runsOf(hanging)).find(({ attempt }) => attempt === '2'));
  });
});

describe('the housekeeping handlers', () => {
  const run = async (handler: string, params?: object) => {
    const job = await made(people.admin.call, '/cronjobs', { ...YEARLY, handler, params });
    await people.admin.call.post(`/cronjobs/${job}/run`);
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded' }]);
  };

  it('are records from the first start, which stay away once they are deleted', async () => {
    const fresh = await createDatabase('plain');
    try {
      const client = await startTestService({ databaseUrl: fresh.url });
      const seeded = await client.sql('SELECT handler, enabled, params FROM cronjobs ORDER BY handler');
      expect(seeded).toEqual([
        { handler: 'DeleteExpiredSessions', enabled: true, params: null },
        { handler: 'DeleteOldCronRuns', enabled: true, params: { days: 30 } },
        { handler: 'DeleteUnusedObjectFiles', enabled: true, params: null },
      ]);
      await client.sql('DELETE FROM cronjobs');
      await client.stop();
      const again = await startTestService({ databaseUrl: fresh.url });
      expect(await again.sql('SELECT 1 FROM cronjobs')).toEqual([]);
      await again.stop();
    } finally {
      await fresh.drop();
    }
  });

  it('DeleteExpiredSessions deletes what is over, by itself or with its key, and nothing else', async () => {
    const [user] = await service.sql<{ id: string }>('SELECT id FROM users LIMIT 1');
    const [key] = await service.sql<{ id: string }>(
      `INSERT INTO apikeys (name, "userId", "secretHash", "expiresAt") VALUES ('old', $1, 'x', now() - interval '1 hour') RETURNING id`,
      [user?.id],
    );
    await service.sql(
      `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt", "apiKeyId") VALUES
       ($1, 'password', 'over', now() - interval '1 second', NULL),
       ($1, 'apiKey', 'key over', now() + interval '1 day', $2),
       ($1, 'password', 'live', now() + interval '1 day', NULL)`,
      [user?.id, key?.id],
    );
    await run('DeleteExpiredSessions');
    const left = await service.sql<{ tokenHash: string }>('SELECT "tokenHash" FROM sessions');
    expect(left.map(({ tokenHash }) => tokenHash).filter((hash) => hash.length < 64)).toEqual(['live']);
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('DeleteOldCronRuns keeps what is not old enough, and what has not finished', async () => {
    const { call } = people.admin;
    const job = await made(call, '/cronjobs', YEARLY);
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, "finishedAt") VALUES
       ($1, '2026-01-01', '2026-01-01', 'succeeded', '2026-11-21 12:00Z'),
       ($1, '2026-01-02', '2026-01-02', 'failed', '2026-11-21 13:00Z'),
       ($1, '2026-01-03', '2027-01-03', 'queued', NULL)`,
      [rowId(service, 'CronJob', job)],
    );
    await run('DeleteOldCronRuns', { days: 7 });
    expect((await runsOf(job)).map(({ status }) => status)).toEqual(['failed', 'queued']);
    for (const params of [{ days: 0 }, { days: 'x' }, { days: 1.5 }, { weeks: 1 }]) {
      const answer = await call.post('/cronjobs', { ...YEARLY, handler: 'DeleteOldCronRuns', params });
      expect(refusal(answer)).toEqual([422, 442, 'params']);
    }
  });
});

describe('CR-11 old rows do not stop the service', () => {
  it('a handler that is gone fails the run with a clear error; a schedule that is garbage is reported once', async () => {
    const { call } = people.admin;
    const before = service.log.length;
    const [gone, garbage] = await service.sql<{ id: string }>(
      `INSERT INTO cronjobs (schedule, handler) VALUES ('* * * * *', 'Gone'), ('garbage', 'Test') RETURNING id`,
    );
    const fine = await made(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    await service.sql(`SELECT pg_notify('kindred_cron', 'job ' || id) FROM cronjobs`);
    await until('nextRunAt of the job made by SQL', async () => {
      const [row] = await service.sql('SELECT 1 FROM cronjobs WHERE id = $1 AND "nextRunAt" IS NOT NULL', [
        gone?.id,
      ]);
      return row;
    });
    await moveClock(service, { by: '1 minute' });
    await settled(fine, 1);
    const run = await until('the run that fails', async () => {
      const [row] = await service.sql<RunRow>(
        `SELECT * FROM cronruns WHERE "cronJobId" = $1 AND status = 'failed'`,
        [gone?.id],
      );
      return row;
    });
    expect(run).toMatchObject({
      attempt: '1',
      error: 'There is no handler Gone; choose another one for the job.',
    });
    const reports = service.log.slice(before).filter((line) => line.includes('"schedule":"garbage"'));
    expect(reports).toHaveLength(1);
    const answer = await call.get('/cronjobs?itemsPerPage=100');
    expect(answer.status).toBe(200);
    const broken = list(answer).items.find(({ props }) => props.schedule === 'garbage')?.props.id;
    expect((await call.put(`/cronjobs/${String(broken)}`, { enabled: false })).status).toBe(200);
    expect(
      (await call.put(`/cronjobs/${String(broken)}`, { schedule: '@daily', enabled: true })).status,
    ).toBe(200);
    expect((await call.delete(`/cronjobs/${String(broken)}`)).status).toBe(200);
    expect(garbage).toBeDefined();
  });
});
