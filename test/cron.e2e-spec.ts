import { Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IsInt, Max, Min } from 'class-validator';
import { CronHandler, type CronContext, type CronTask } from '../src/scheduler/cron-handler.js';
import { SchedulerSettings } from '../src/scheduler/scheduler-settings.js';
import { expectSameAnswer } from './support/hidden-values.js';
import { createRecord } from './support/belongings.js';
import { rowId, idOfNoRow } from './support/rows.js';
import { expectAbsent, idOf, listOf, recordOf, refusal } from './support/answers.js';
import { Caller } from './support/client.js';
import { Database } from '../src/postgres/database.js';
import { installClock, moveClock, TEST_CLOCK, until } from './support/cron-clock.js';
import { createDatabase } from './support/database.js';
import { type Fixture, resetFixture } from './support/fixture.js';
import { quick } from './support/quick.js';
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

/** Tries of Held under way, in the order in which they began. */
const held: { context: CronContext; end: () => void }[] = [];

@CronHandler('Held')
class HeldHandler implements CronTask {
  run(_params: object, context: CronContext): Promise<void> {
    return new Promise((end) => held.push({ context, end }));
  }
}

@CronHandler('Throws')
class ThrowsHandler implements CronTask {
  run(): Promise<void> {
    throw new Error('thrown at once');
  }
}

@Module({ providers: [CountHandler, HangsHandler, HeldHandler, ThrowsHandler] })
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
    scheduler: { clock: TEST_CLOCK, pollInterval: 60_000, heartbeat: 200 },
  });
  people = await resetFixture(service);
});
afterAll(async () => {
  try {
    await service.stop();
  } finally {
    await database.drop();
  }
});
beforeEach(async () => {
  await service.sql('DELETE FROM cronjobs');
  await installClock(database.url, START);
  counted.length = 0;
  held.length = 0;
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

/** The one run of a job. */
const runOf = async (job: string) => {
  const [run] = await runsOf(job);
  if (!run) throw new Error('The job has no run.');
  return run;
};
/** The service has looked at what was due before, because it has run something that was asked for since. */
const looked = async () => {
  const job = await createRecord(people.admin.call, '/cronjobs', YEARLY);
  await people.admin.call.post(`/cronjobs/${job}/run`);
  await settled(job, 1);
};

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
      'Held',
      'Test',
      'Throws',
    ];
    // The project may have handlers of its own.
    expect(options.body).toMatchObject({
      handler: expect.arrayContaining(names.map((name) => ({ label: name, value: name }))),
      enabled: [
        { label: 'Disabled', value: 'false' },
        { label: 'Enabled', value: 'true' },
      ],
    });
    expect(recordOf(answer).options).toEqual(options.body);
  });

  it('defaults: UTC, enabled', async () => {
    const answer = await people.admin.call.post('/cronjobs', YEARLY);
    expect(recordOf(answer).props).toMatchObject({
      timezone: 'UTC',
      enabled: true,
      nextRunAt: '2027-01-01T00:00:00.000Z',
    });
  });

  it('schedule and handler can be filtered by', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', { schedule: '5 4 * * *', handler: 'Test' });
    await createRecord(call, '/cronjobs', { schedule: '@daily', handler: 'DeleteExpiredSessions' });
    for (const query of [`schedule=${encodeURIComponent('5 4 * * *')}`, 'handler=Test']) {
      const answer = await call.get(`/cronjobs?${query}`);
      expect(listOf(answer).items.map(({ props }) => props.id)).toEqual([id]);
    }
  });

  it('nextRunAt follows every change, and a disabled job has none', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', YEARLY);
    const next = async (body: object) => recordOf(await call.put(`/cronjobs/${id}`, body)).props.nextRunAt;
    expect(await next({ schedule: '0 12 * * *' })).toBe('2026-11-29T12:00:00.000Z');
    expect(await next({ timezone: 'America/New_York' })).toBe('2026-11-28T17:00:00.000Z');
    expect(await next({ note: 'x' })).toBe('2026-11-28T17:00:00.000Z');
    expect(await next({ enabled: false })).toBeNull();
    expect(await next({ schedule: '0 13 * * *' })).toBeNull();
    expect(await next({ enabled: true })).toBe('2026-11-28T18:00:00.000Z');
  });

  it('runs are read-only, and only administrators see them', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', YEARLY);
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
    expect(recordOf(shown).props).toMatchObject({ status: 'succeeded', attempt: 1, error: null });
    expect(recordOf(shown).props).not.toHaveProperty('leasedBy');
    expect(refusal(await call.put(path, { status: 'failed' }))[0]).toBe(403);
    expect(refusal(await call.delete(path))[0]).toBe(403);
    expect(refusal(await call.post('/cronruns', { cronJobId: id }))[0]).toBe(403);
    expect((await people.other.call.get(path)).status).toBe(404);
    expect((await people.other.call.get('/cronruns')).status).toBe(403);
    expect((await people.anon.get('/cronruns')).status).toBe(401);
    expect((await people.other.call.get(`/cronjobs/${id}/runs`)).status).toBe(404);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await call.send(method, `/cronjobs/${id}/run`);
      expect([method, ...refusal(answer), answer.headers.get('allow')]).toEqual([
        method,
        405,
        405,
        null,
        'OPTIONS, POST',
      ]);
    }
    const history = await call.get(`/cronjobs/${id}/runs?status=succeeded`);
    expect(listOf(history).items.map(({ props }) => props.id)).toEqual([idOf(run)]);
  });
});

describe('oracle-filter-sort', () => {
  it('OF-11 cron jobs and runs are not enumerable by content', async () => {
    const { other, owner, anon, admin } = people;
    const secret = { schedule: '7 3 * * *', handler: 'Test', note: 'night shift', params: { host: 'db7' } };
    const job = await createRecord(admin.call, '/cronjobs', secret);
    const run = idOf(await admin.call.post(`/cronjobs/${job}/run`));
    await settled(job, 1);
    const queries = [
      '',
      '?handler=Test',
      '?handler=Nope',
      `?schedule=${encodeURIComponent('7 3 * * *')}`,
      '?search=night',
      '?sortBy=handler',
      '?_start_createdAt=2026-01-01T00:00:00.000Z',
    ];
    const runQueries = ['', '?status=succeeded', '?status=failed', '?sortBy=error'];
    for (const caller of [other.call, owner.call, anon]) {
      const refused = caller === anon ? 401 : 403;
      const jobs = queries.map((query) => `/cronjobs${query}`);
      expectAbsent(await expectSameAnswer(caller, refused, jobs), ['night', 'db7', '7 3', job]);
      const runs = runQueries.map((query) => `/cronruns${query}`);
      expectAbsent(await expectSameAnswer(caller, refused, runs), [job, run]);
      await expectSameAnswer(caller, 404, [
        `/cronjobs/${job}`,
        `/cronjobs/${job}/runs`,
        `/cronruns/${run}`,
        `/cronruns/${run}/cronjob`,
        `/cronjobs/${idOfNoRow(service, 'CronJob')}`,
        `/cronruns/${idOfNoRow(service, 'CronRun')}`,
      ]);
    }
    const found = listOf(await admin.call.get('/cronjobs?handler=Test'));
    expect(found.items.map(({ props }) => props)).toMatchObject([secret]);
    expect(listOf(await admin.call.get('/cronjobs?handler=Nope')).items).toEqual([]);
  });
});

describe('cron-schedule', () => {
  it('CS-01 only administrators touch cron jobs (rows that one may not see are 404, not 403)', async () => {
    const id = await createRecord(people.admin.call, '/cronjobs', YEARLY);
    const { other, anon } = people;
    expect((await other.call.post('/cronjobs', YEARLY)).status).toBe(403);
    expect((await anon.post('/cronjobs', YEARLY)).status).toBe(401);
    expect((await other.call.put(`/cronjobs/${id}`, { enabled: false })).status).toBe(404);
    expect((await other.call.delete(`/cronjobs/${id}`)).status).toBe(404);
    expect((await other.call.post(`/cronjobs/${id}/run`)).status).toBe(404);
    expect((await anon.post(`/cronjobs/${id}/run`)).status).toBe(404);
    expect((await other.call.get('/cronjobs')).status).toBe(403);
    expect((await other.call.get('/cronjobs/options')).status).toBe(403);
    expect(recordOf(await people.admin.call.get(`/cronjobs/${id}`)).props).toMatchObject({ enabled: true });
    expect(await runsOf(id)).toEqual([]);
  });

  it('CS-03 dates that never come are refused at once', async () => {
    for (const schedule of ['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *']) {
      const start = performance.now();
      const answer = await people.admin.call.post('/cronjobs', { schedule, handler: 'Test' });
      expect([schedule, ...refusal(answer)]).toEqual([schedule, 422, 442, 'schedule']);
      expect(performance.now() - start).toBeLessThan(1000);
    }
    const id = await createRecord(people.admin.call, '/cronjobs', YEARLY);
    const answer = await people.admin.call.put(`/cronjobs/${id}`, { schedule: '0 0 30 2 *' });
    expect(refusal(answer)).toEqual([422, 442, 'schedule']);
  });

  it('CS-04 the 29th of February is legal', async () => {
    const answer = await people.admin.call.post('/cronjobs', { schedule: '0 0 29 2 *', handler: 'Test' });
    expect(recordOf(answer).props).toMatchObject({ nextRunAt: '2028-02-29T00:00:00.000Z' });
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
    const job = await createRecord(call, '/cronjobs', { ...YEARLY, params });
    expect(recordOf(await call.get(`/cronjobs/${job}`)).props.params).toEqual(params);
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
    for (const params of [
      '{"x":{"constructor":1}}',
      '{"constructor":1}',
      '{"toString":{}}',
      '{"valueOf":null}',
      '{"hasOwnProperty":"x"}',
    ]) {
      const body = `{"schedule":"0 0 1 1 *","handler":"Count","params":${params}}`;
      expect([params, ...refusal(await call.post('/cronjobs', body))]).toEqual([params, 422, 442, 'params']);
    }
    const id = await createRecord(call, '/cronjobs', { ...YEARLY, params: { more: true } });
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
      await createRecord(call, '/cronjobs', YEARLY),
      await createRecord(call, '/cronjobs', { schedule: '0 4 1 * *', handler: 'Test' }),
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
    const id = await createRecord(call, '/cronjobs', YEARLY);
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
    const id = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
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
    const id = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Count' });
    for (let n = 1; n <= 3; n++) {
      await moveClock(service, { by: '1 minute' });
      await settled(id, n);
    }
    expect((await runsOf(id)).map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16))).toEqual([
      '12:01',
      '12:02',
      '12:03',
    ]);
    expect(recordOf(await call.get(`/cronjobs/${id}`)).props).toMatchObject({
      lastRunAt: '2026-11-28T12:03:30.000Z',
      nextRunAt: '2026-11-28T12:04:00.000Z',
    });
    expect(counted).toHaveLength(3);
  });

  it('CR-08 clock jumps: missed ticks collapse to one run, and none is run twice when the clock goes back', async () => {
    const { call } = people.admin;
    const minutely = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    const hourly = await createRecord(call, '/cronjobs', { schedule: '0 * * * *', handler: 'Test' });
    await moveClock(service, { by: '6 hours' });
    expect(await settled(minutely, 1)).toHaveLength(1);
    expect(await settled(hourly, 1)).toHaveLength(1);
    await moveClock(service, { by: '1 minute' });
    expect(await settled(minutely, 2)).toHaveLength(2);
    expect(await runsOf(hourly)).toHaveLength(1);
    await moveClock(service, { by: '-1 minute' });
    const next = (at: string) =>
      until(`nextRunAt ${at}`, async () => {
        const { props } = recordOf(await call.get(`/cronjobs/${minutely}`));
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
    const at230 = await createRecord(call, '/cronjobs', { ...zone, schedule: '30 2 * * *' });
    const quarter = await createRecord(call, '/cronjobs', { ...zone, schedule: '*/15 * * * *' });
    const at3 = await createRecord(call, '/cronjobs', { ...zone, schedule: '0 3 * * *' });
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
    const id = await createRecord(people.admin.call, '/cronjobs', {
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

  it('a tick that still waits for a place makes up for those that come meanwhile', async () => {
    const { call } = people.admin;
    for (let n = 1; n <= 4; n++) {
      const job = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Held' });
      await call.post(`/cronjobs/${job}/run`);
      await until(`${n} begun`, () => Promise.resolve(held.length === n));
    }
    const id = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    for (const minute of ['02', '03', '04']) {
      await moveClock(service, { by: '1 minute' });
      await until(`the tick before 12:${minute}`, async () => {
        const { props } = recordOf(await call.get(`/cronjobs/${id}`));
        return props.nextRunAt === `2026-11-28T12:${minute}:00.000Z`;
      });
    }
    const waiting = await runsOf(id);
    expect(waiting.map(({ status }) => status)).toEqual(['queued']);
    for (const { end } of held) end();
    expect(await settled(id, 1)).toMatchObject([{ status: 'succeeded', id: waiting[0]?.id }]);
    await looked();
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('a disabled job does not run, but for those who ask; what waits is cancelled', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
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
    // As a run leaves it that failed in the moment of disabling: it does not come back to life with the job.
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", attempt) VALUES ($1, '2026-11-28 11:01Z', '2026-11-28 13:00Z', 1)`,
      [rowId(service, 'CronJob', id)],
    );
    await looked();
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['failed', 'queued', 'succeeded']);
    await call.put(`/cronjobs/${id}`, { enabled: true });
    await looked();
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
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
    expect(recordOf(await call.get(`/cronjobs/${id}`)).props).toMatchObject({
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
    const id = await createRecord(call, '/cronjobs', YEARLY);
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

describe('a run is its instance’s as long as that one goes on', () => {
  const hold = async () => {
    const job = await createRecord(people.admin.call, '/cronjobs', { ...YEARLY, handler: 'Held' });
    const before = held.length;
    await people.admin.call.post(`/cronjobs/${job}/run`);
    const one = await until('a try', () => Promise.resolve(held[before]));
    return { job, ...one };
  };
  const lapse = () =>
    service.sql(
      `UPDATE cronruns SET "leaseUntil" = '2000-01-01' WHERE status = 'running'; SELECT pg_notify('kindred_cron', 'runs')`,
    );

  it('it does not take over from itself after a pause of the whole machine', async () => {
    const { job, context, end } = await hold();
    await lapse();
    await looked();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '1' });
    expect(context.signal.aborted).toBe(false);
    end();
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '1' }]);
    expect(held).toHaveLength(1);
  });

  it('another instance’s is left alone while its lease holds, and taken over when it is over', async () => {
    const { call } = people.admin;
    const [alive, gone] = [
      await createRecord(call, '/cronjobs', YEARLY),
      await createRecord(call, '/cronjobs', YEARLY),
    ];
    for (const [job, until] of [
      [alive, '30 seconds'],
      [gone, '-30 seconds'],
    ] as const) {
      await service.sql(
        `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, attempt, "leasedBy", "leaseUntil")
         VALUES ($1, '2026-11-28 12:00Z', '2026-11-28 12:00Z', 'running', 1, 'another', clock_timestamp() + $2::interval)`,
        [rowId(service, 'CronJob', job), until],
      );
    }
    await service.sql(`SELECT pg_notify('kindred_cron', 'runs')`);
    expect(await settled(gone, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
    await looked();
    expect(await runOf(alive)).toMatchObject({ status: 'running', attempt: '1', leasedBy: 'another' });
  });

  it('another one’s, which has taken it over, is not ended by the try that was lost', async () => {
    const { job, end } = await hold();
    await service.sql(`UPDATE cronruns SET attempt = 2, "leasedBy" = 'another' WHERE status = 'running'`);
    end();
    await looked();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '2', leasedBy: 'another' });
  });

  it('one that waits for the job’s own run to end keeps no other job waiting', async () => {
    const { job, end } = await hold();
    await people.admin.call.post(`/cronjobs/${job}/run`);
    await looked();
    expect(held).toHaveLength(1);
    end();
    await until('the second run', () => Promise.resolve(held.length === 2));
    held[1]?.end();
    expect(await settled(job, 2)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
  });

  it('what was lost in its last try has failed, and is not tried again', async () => {
    const job = await createRecord(people.admin.call, '/cronjobs', { ...YEARLY, handler: 'Count' });
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, attempt, "startedAt", "leasedBy", "leaseUntil", manual)
       VALUES ($1, '2026-11-28', '2026-11-28', 'running', 4, '2026-11-28', 'gone', '2000-01-01', true)`,
      [rowId(service, 'CronJob', job)],
    );
    await service.sql(`SELECT pg_notify('kindred_cron', 'runs')`);
    expect(await settled(job, 1)).toMatchObject([
      { status: 'failed', attempt: '4', error: 'The instance that ran it is gone.' },
    ]);
    await looked();
    expect([counted, (await runOf(job)).attempt]).toEqual([[], '4']);
  });

  it('no more runs go on at once than CRON_CONCURRENCY, and the next begins when one ends', async () => {
    const { call } = people.admin;
    const jobs = await Promise.all(
      Array.from({ length: 7 }, () => createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Held' })),
    );
    for (const job of jobs) await call.post(`/cronjobs/${job}/run`);
    const running = async () => {
      const rows = await service.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM cronruns WHERE status = 'running'`,
      );
      return rows[0]?.n;
    };
    for (let ended = 0; ended < jobs.length; ended++) {
      const most = Math.min(ended + 4, jobs.length);
      await until(`${most} begun`, () => Promise.resolve(held.length === most));
      // It looks at the queue again, with all places taken.
      await service.sql(`SELECT pg_notify('kindred_cron', 'runs')`);
      await call.get('/cronjobs');
      expect([held.length, await running()]).toEqual([most, most - ended]);
      held[ended]?.end();
      const over = ended + 1;
      await until(`${over} ended`, async () => {
        const [row] = await service.sql<{ n: number }>(
          `SELECT count(*)::int AS n FROM cronruns WHERE status = 'succeeded'`,
        );
        return row?.n === over;
      });
    }
  });

  it('what it claimed and never heard of is taken over, by itself as well', async () => {
    const job = await createRecord(people.admin.call, '/cronjobs', YEARLY);
    const { leasedBy } = (await hold().then(({ job }) => runsOf(job)))[0] as unknown as { leasedBy: string };
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, attempt, "leasedBy", "leaseUntil")
       VALUES ($1, '2026-11-28 12:00Z', '2026-11-28 12:00Z', 'running', 1, $2, '2000-01-01')`,
      [rowId(service, 'CronJob', job), leasedBy],
    );
    await looked();
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
    held[0]?.end();
  });

  it('a try that was taken over is aborted when the next one begins in the same place, and its end does not count', async () => {
    const { job, context, end } = await hold();
    await service.sql(
      `UPDATE cronruns SET status = 'queued', "leasedBy" = NULL, "leaseUntil" = NULL WHERE status = 'running';
       SELECT pg_notify('kindred_cron', 'runs')`,
    );
    const second = await until('the second try', () => Promise.resolve(held[1]));
    expect(context.signal.aborted).toBe(true);
    expect([second.context.attempt, second.context.signal.aborted]).toEqual([2, false]);
    end();
    await looked();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '2' });
    second.end();
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
  });

  it('greedy handlers or requests, which take all connections of the pool, cost no lease and stop no run', async () => {
    const { job, end } = await hold();
    let free: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (free = resolve));
    let taken = 0;
    const greedy = Array.from({ length: 10 }, () =>
      service.app.get(Database, { strict: false }).transaction(async () => {
        taken++;
        await gate;
      }),
    );
    try {
      await until('all connections', () => Promise.resolve(taken === 10));
      const leased = async () =>
        (
          await service.sql<{ at: Date }>(`SELECT "leaseUntil" AS at FROM cronruns WHERE status = 'running'`)
        )[0]?.at;
      const before = await leased();
      await until('a longer lease', async () => Number(await leased()) > Number(before), quick(2500));
      const [other] = await service.sql<{ id: string }>(
        `INSERT INTO cronjobs (schedule, handler, "nextRunAt") VALUES ('* * * * *', 'Test', testing.now()) RETURNING id`,
      );
      await service.sql(`SELECT pg_notify('kindred_cron', 'runs')`);
      await until(
        'a run',
        async () =>
          (
            await service.sql(`SELECT 1 FROM cronruns WHERE "cronJobId" = $1 AND status = 'succeeded'`, [
              other?.id,
            ])
          )[0],
        quick(2500),
      );
    } finally {
      free();
      await Promise.all(greedy);
    }
    end();
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '1' }]);
  });

  it('an edit that is stored while a run is being claimed counts for it', async () => {
    const { call } = people.admin;
    const job = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Count', params: { n: 1 } });
    await looked();
    await until('nothing left to do', async () => {
      const [row] = await service.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kindred-cron'
           AND state = 'idle' AND query LIKE '%min("dueAt")%'`,
      );
      return row;
    });
    // The claim stops after it has begun to look, and before it has locked anything.
    await service.sql(
      `CREATE OR REPLACE FUNCTION testing.now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$ BEGIN
         IF current_query() LIKE 'WITH due%' THEN
           PERFORM pg_advisory_lock_shared(77), pg_advisory_unlock_shared(77);
         END IF;
         RETURN (SELECT at FROM testing.clock); END $$`,
    );
    await service.sql('SELECT pg_advisory_lock(77)');
    try {
      await call.post(`/cronjobs/${job}/run`);
      await until('the claim', async () => {
        const [row] = await service.sql(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`,
        );
        return row;
      });
      expect((await call.put(`/cronjobs/${job}`, { params: { n: 2 } })).status).toBe(200);
    } finally {
      await service.sql('SELECT pg_advisory_unlock(77)');
    }
    await settled(job, 1);
    expect(counted.map(({ params }) => params)).toEqual([{ n: 2 }]);
  });
});

describe('a run that fails', () => {
  it('is tried again after 1, 2 and 4 minutes, not before, then has failed', async () => {
    const { call } = people.admin;
    const job = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Throws' });
    const asked = await call.post(`/cronjobs/${job}/run`);
    const tried = (attempt: number, status: string) =>
      until(`try ${attempt} ${status}`, async () => {
        const run = await runOf(job);
        return run.status === status && Number(run.attempt) === attempt;
      });
    await tried(1, 'queued');
    for (const [attempt, minutes] of [
      [2, 1],
      [3, 2],
      [4, 4],
    ] as const) {
      await moveClock(service, { by: `${minutes * 60 - 1} seconds` });
      await looked();
      expect(Number((await runOf(job)).attempt)).toBe(attempt - 1);
      await moveClock(service, { by: '1 second' });
      await tried(attempt, attempt === 4 ? 'failed' : 'queued');
    }
    const { props } = recordOf(await call.get(`/cronruns/${idOf(asked)}`));
    expect(props).toMatchObject({ status: 'failed', attempt: 4, error: 'thrown at once' });
    expect(props.finishedAt).toBe('2026-11-28T12:07:30.000Z');
  });
});

describe('CR-13 a handler that never ends', () => {
  it('is over at the time limit; others run on time meanwhile, and it is tried again later', async () => {
    const { call } = people.admin;
    const settings = service.app.get(SchedulerSettings);
    const { runLimit } = settings;
    Object.assign(settings, { runLimit: 500 });
    try {
      const hanging = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Hangs' });
      const other = await createRecord(call, '/cronjobs', YEARLY);
      await call.post(`/cronjobs/${hanging}/run`);
      await call.post(`/cronjobs/${other}/run`);
      await settled(other, 1);
      expect((await runsOf(hanging)).map(({ status }) => status)).not.toContain('succeeded');
      const run = await until('the limit', async () => (await runsOf(hanging)).find(({ error }) => error));
      expect(run).toMatchObject({
        status: 'queued',
        attempt: '1',
        error: 'The handler took longer than 0.5 seconds.',
        finishedAt: null,
      });
      expect(aborted).toBe(1);
      await moveClock(service, { by: '1 minute' });
      await until('the second try', async () =>
        (await runsOf(hanging)).find(({ attempt }) => attempt === '2'),
      );
    } finally {
      Object.assign(settings, { runLimit });
    }
  });
});

describe('the housekeeping handlers', () => {
  const run = async (handler: string, params?: object) => {
    const job = await createRecord(people.admin.call, '/cronjobs', { ...YEARLY, handler, params });
    await people.admin.call.post(`/cronjobs/${job}/run`);
    expect(await settled(job, 1)).toMatchObject([{ status: 'succeeded' }]);
  };

  it('DeleteExpiredSessions deletes what is over, by itself or with its key, and nothing else', async () => {
    const [user] = await service.sql<{ id: string }>('SELECT id FROM users LIMIT 1');
    const [key, lasting] = await service.sql<{ id: string }>(
      `INSERT INTO apikeys (name, "userId", "secretHash", "expiresAt") VALUES ('old', $1, 'x', now() - interval '1 hour'), ('lasting', $1, 'y', now() + interval '1 hour') RETURNING id`,
      [user?.id],
    );
    await service.sql(
      `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt", "apiKeyId") VALUES
       ($1, 'password', 'over', now() - interval '1 second', NULL),
       ($1, 'apiKey', 'key over', now() + interval '1 day', $2),
       ($1, 'apiKey', 'key live', now() + interval '1 day', $3),
       ($1, 'password', 'live', now() + interval '1 day', NULL)`,
      [user?.id, key?.id, lasting?.id],
    );
    await run('DeleteExpiredSessions');
    const left = await service.sql<{ tokenHash: string }>('SELECT "tokenHash" FROM sessions');
    expect(
      left
        .map(({ tokenHash }) => tokenHash)
        .filter((hash) => hash.length < 64)
        .sort(),
    ).toEqual(['key live', 'live']);
    expect((await people.owner.call.get('/users/whoami')).status).toBe(200);
  });

  it('DeleteOldCronRuns keeps what is not old enough, and what has not finished', async () => {
    const { call } = people.admin;
    const job = await createRecord(call, '/cronjobs', YEARLY);
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

describe('from one start to the next', () => {
  /** Two releases of the service on one database: the handler Held is in the first one alone. */
  let fresh: { url: string; drop(): Promise<void> };
  let first: TestService;
  let second: TestService | undefined;
  let left: string;
  let garbage: string;

  beforeAll(async () => {
    fresh = await createDatabase('plain');
    first = await startTestService({ databaseUrl: fresh.url, kinds: [CountModule] });
  });
  afterAll(async () => {
    try {
      await first.stop();
      await second?.stop();
    } finally {
      await fresh.drop();
    }
  });

  it('the housekeeping handlers have records from the first start', async () => {
    const seeded = await first.sql('SELECT handler, enabled, params FROM cronjobs ORDER BY handler');
    expect(seeded).toEqual([
      { handler: 'DeleteExpiredSessions', enabled: true, params: null },
      { handler: 'DeleteOldCronRuns', enabled: true, params: { days: 30 } },
      { handler: 'DeleteUnusedObjectFiles', enabled: true, params: null },
    ]);
  });

  it('CR-11 a handler that is gone and a schedule that is garbage do not stop the next release', async () => {
    const { call } = (await resetFixture(first)).admin; // it also deletes the seeded jobs
    left = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Held', params: { any: 1 } });
    const [row] = await first.sql<{ id: string }>(
      `INSERT INTO cronjobs (schedule, handler) VALUES ('garbage', 'Test') RETURNING id`,
    );
    garbage = row?.id ?? '';
    await first.stop();
    const next = await startTestService({ databaseUrl: fresh.url, env: { CRON_CONCURRENCY: '2' } });
    second = next;
    const reports = () => next.log.filter((line) => line.includes('"schedule":"garbage"'));
    await until('the report', () => Promise.resolve(reports().length > 0));
    const admin = new Caller(next.url, call.cookie);
    const jobs = listOf(await admin.get('/cronjobs?sortBy=createdAt')).items.map(({ props }) => props);
    // Those of the first start stay away once they are deleted.
    expect(jobs).toMatchObject([
      { id: left, handler: 'Held' },
      { schedule: 'garbage', nextRunAt: null },
    ]);
    const asked = await admin.post(`/cronjobs/${left}/run`);
    const ended = async (id: string) =>
      until('the end', async () => {
        const { props } = recordOf(await admin.get(`/cronruns/${id}`));
        return ['succeeded', 'failed'].includes(String(props.status)) && props;
      });
    expect(await ended(idOf(asked))).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: 'There is no handler Held; choose another one for the job.',
    });
    expect((await admin.put(`/cronjobs/${left}`, { note: 'x' })).status).toBe(200);
    expect((await admin.put(`/cronjobs/${left}`, { handler: 'Test' })).status).toBe(200);
    expect(await ended(idOf(await admin.post(`/cronjobs/${left}/run`)))).toMatchObject({
      status: 'succeeded',
    });
    const broken = String(jobs[1]?.id);
    expect((await admin.put(`/cronjobs/${broken}`, { enabled: true, note: 'x' })).status).toBe(200);
    expect((await admin.put(`/cronjobs/${broken}`, { enabled: false })).status).toBe(200);
    expect((await admin.put(`/cronjobs/${broken}`, { schedule: '@daily', enabled: true })).status).toBe(200);
    expect((await admin.delete(`/cronjobs/${broken}`)).status).toBe(200);
    expect(reports()).toHaveLength(1);
    expect(garbage).not.toBe('');
  });
});
