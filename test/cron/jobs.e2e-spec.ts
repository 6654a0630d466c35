import { SchedulerRegistry } from '@nestjs/schedule';
import { describe, expect, it } from '@jest/globals';
import { expectSameAnswer } from '../support/hidden-values.js';
import { createRecord } from '../support/belongings.js';
import { idOfNoRow } from '../support/rows.js';
import { expectAbsent, idOf, listOf, recordOf, refusal } from '../support/answers.js';
import { installClock, until } from '../support/cron-clock.js';
import {
  useCronService,
  database,
  people,
  service,
  YEARLY,
  waitForRuns,
  runsOf,
  counted,
  CountParams,
  timers,
  timerOf,
} from './cron-service.js';

/* Cron jobs as records: who sees and changes them, their schedules, and the timers made from them. */

useCronService();

describe('jobs and runs as records', () => {
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

  it('a job without other values is enabled, in UTC', async () => {
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
    await waitForRuns(id, 1);
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

describe('hidden jobs and runs', () => {
  it('filters, sorting and searches tell a stranger nothing about jobs and runs', async () => {
    const { other, owner, anon, admin } = people;
    const secret = { schedule: '7 3 * * *', handler: 'Test', note: 'night shift', params: { host: 'db7' } };
    const job = await createRecord(admin.call, '/cronjobs', secret);
    const run = idOf(await admin.call.post(`/cronjobs/${job}/run`));
    await waitForRuns(job, 1);
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

describe('schedules and handlers', () => {
  it('only administrators read and change jobs; to others they are 404', async () => {
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

  it('dates that never come are refused at once', async () => {
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

  it('a schedule for the 29th of February is accepted', async () => {
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

  it('an unknown handler is refused', async () => {
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

  it('params must be an object of bounded size', async () => {
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
    await waitForRuns(id, 1);
    expect(counted.map(({ params }) => params)).toEqual([{ n: 9 }]);
    expect(counted[0]?.params).toBeInstanceOf(CountParams);
    expect((await call.put(`/cronjobs/${id}`, { params: null })).status).toBe(200);
    await call.post(`/cronjobs/${id}/run`);
    await waitForRuns(id, 2);
    expect(counted[1]?.params).toEqual({ n: 1 });
  });

  it('long intervals do not fire at once, and no timer is longer than a day', async () => {
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
  it('a timer is set for each enabled job, and removed with it', async () => {
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
    const [run] = await waitForRuns(id, 1);
    expect(run?.scheduledFor.toISOString()).toBe('2026-11-28T12:01:00.000Z');
    expect(run?.startedAt && run.startedAt >= run.scheduledFor).toBe(true);
  });
});
