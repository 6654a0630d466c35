import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchedulerSettings } from '../../src/scheduler/scheduler-settings.js';
import { createRecord } from '../support/belongings.js';
import { rowId } from '../support/rows.js';
import { idOf, listOf, recordOf, refusal } from '../support/answers.js';
import { Caller } from '../support/client.js';
import { moveClock, until } from '../support/cron-clock.js';
import { createDatabase } from '../support/database.js';
import { resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import {
  useCronService,
  aborted,
  people,
  service,
  waitForRuns,
  runsOf,
  counted,
  YEARLY,
  held,
  waitForPoll,
  runOf,
  WatchedHandlers,
} from './cron-service.js';

/* When jobs run, what a run records, and what a restart makes of both. */

useCronService();

describe('times at which a job is due', () => {
  it('each minute is run once, and lastRunAt and nextRunAt tell', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Count' });
    for (let n = 1; n <= 3; n++) {
      await moveClock(service, { by: '1 minute' });
      await waitForRuns(id, n);
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

  it('after a jump of the clock what was missed is one run, and nothing runs twice when the clock goes back', async () => {
    const { call } = people.admin;
    const minutely = await createRecord(call, '/cronjobs', { schedule: '* * * * *', handler: 'Test' });
    const hourly = await createRecord(call, '/cronjobs', { schedule: '0 * * * *', handler: 'Test' });
    await moveClock(service, { by: '6 hours' });
    expect(await waitForRuns(minutely, 1)).toHaveLength(1);
    expect(await waitForRuns(hourly, 1)).toHaveLength(1);
    await moveClock(service, { by: '1 minute' });
    expect(await waitForRuns(minutely, 2)).toHaveLength(2);
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
    expect(await waitForRuns(minutely, 3)).toHaveLength(3);
    const all = (await runsOf(minutely)).map(({ scheduledFor }) => scheduledFor.toISOString());
    expect(new Set(all).size).toBe(all.length);
  });

  it('each job runs on its time in New York on the day on which an hour is skipped', async () => {
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
      await waitForRuns(quarter, due);
    }
    const times = async (job: string) =>
      (await waitForRuns(job, 1)).map(({ scheduledFor }) => scheduledFor.toISOString().slice(11, 16));
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
      await waitForRuns(id, 1);
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
    expect(await waitForRuns(id, 1)).toMatchObject([{ status: 'succeeded', id: waiting[0]?.id }]);
    await waitForPoll();
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
    const runs = await waitForRuns(id, 2);
    expect(runs.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'The job was disabled before this run could begin.'],
      ['succeeded', null],
    ]);
    // As a run leaves it that failed in the moment of disabling: it does not come back to life with the job.
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", attempt) VALUES ($1, '2026-11-28 11:01Z', '2026-11-28 13:00Z', 1)`,
      [rowId(service, 'CronJob', id)],
    );
    await waitForPoll();
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['failed', 'queued', 'succeeded']);
    await call.put(`/cronjobs/${id}`, { enabled: true });
    await waitForPoll();
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
    await waitForRuns(idOf(first), 1);
    const headers = { 'if-match': first.headers.get('etag') ?? '' };
    const answer = await call.put(`/cronjobs/${idOf(first)}`, { note: 'mine' }, { headers });
    expect(answer.status).toBe(200);
  });

  it('asking often queues as often, up to a bound', async () => {
    const { call } = people.admin;
    const id = await createRecord(call, '/cronjobs', YEARLY);
    const answers = await Promise.all(Array.from({ length: 10 }, () => call.post(`/cronjobs/${id}/run`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await waitForRuns(id, 10)).toHaveLength(10);
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", manual)
       SELECT $1, t, '2030-01-01', true FROM generate_series('2029-01-01'::timestamptz, '2029-01-01 01:39', '1 minute') t`,
      [rowId(service, 'CronJob', id)],
    );
    expect(refusal(await call.post(`/cronjobs/${id}/run`))).toEqual([409, 409, null]);
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
      await waitForPoll();
      expect(Number((await runOf(job)).attempt)).toBe(attempt - 1);
      await moveClock(service, { by: '1 second' });
      await tried(attempt, attempt === 4 ? 'failed' : 'queued');
    }
    const { props } = recordOf(await call.get(`/cronruns/${idOf(asked)}`));
    expect(props).toMatchObject({ status: 'failed', attempt: 4, error: 'thrown at once' });
    expect(props.finishedAt).toBe('2026-11-28T12:07:30.000Z');
  });
});

describe('a handler that never ends', () => {
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
      await waitForRuns(other, 1);
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
    expect(await waitForRuns(job, 1)).toMatchObject([{ status: 'succeeded' }]);
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

describe('what a restart keeps', () => {
  /** Two releases of the service on one database: the handler Held is in the first one alone. */
  let fresh: { url: string; drop(): Promise<void> };
  let first: TestService;
  let second: TestService | undefined;
  let left: string;
  let garbage: string;

  beforeAll(async () => {
    fresh = await createDatabase('plain');
    first = await startTestService({ databaseUrl: fresh.url, kinds: [WatchedHandlers] });
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

  it('a job whose handler is gone, or whose schedule is invalid, does not stop the next release', async () => {
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
