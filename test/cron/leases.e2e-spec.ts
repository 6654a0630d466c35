import { describe, expect, it } from '@jest/globals';
import { createRecord } from '../support/belongings.js';
import { rowId } from '../support/rows.js';
import { Database } from '../../src/postgres/database.js';
import { until } from '../support/cron-clock.js';
import { quick } from '../support/quick.js';
import {
  useCronService,
  people,
  service,
  YEARLY,
  held,
  waitForPoll,
  runOf,
  waitForRuns,
  counted,
  runsOf,
} from './cron-service.js';

/* A run belongs to its instance as long as that one shows signs of life. */

useCronService();

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
    await waitForPoll();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '1' });
    expect(context.signal.aborted).toBe(false);
    end();
    expect(await waitForRuns(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '1' }]);
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
    expect(await waitForRuns(gone, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
    await waitForPoll();
    expect(await runOf(alive)).toMatchObject({ status: 'running', attempt: '1', leasedBy: 'another' });
  });

  it('another one’s, which has taken it over, is not ended by the try that was lost', async () => {
    const { job, end } = await hold();
    await service.sql(`UPDATE cronruns SET attempt = 2, "leasedBy" = 'another' WHERE status = 'running'`);
    end();
    await waitForPoll();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '2', leasedBy: 'another' });
  });

  it('one that waits for the job’s own run to end keeps no other job waiting', async () => {
    const { job, end } = await hold();
    await people.admin.call.post(`/cronjobs/${job}/run`);
    await waitForPoll();
    expect(held).toHaveLength(1);
    end();
    await until('the second run', () => Promise.resolve(held.length === 2));
    held[1]?.end();
    expect(await waitForRuns(job, 2)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
  });

  it('what was lost in its last try has failed, and is not tried again', async () => {
    const job = await createRecord(people.admin.call, '/cronjobs', { ...YEARLY, handler: 'Count' });
    await service.sql(
      `INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt", status, attempt, "startedAt", "leasedBy", "leaseUntil", manual)
       VALUES ($1, '2026-11-28', '2026-11-28', 'running', 4, '2026-11-28', 'gone', '2000-01-01', true)`,
      [rowId(service, 'CronJob', job)],
    );
    await service.sql(`SELECT pg_notify('kindred_cron', 'runs')`);
    expect(await waitForRuns(job, 1)).toMatchObject([
      { status: 'failed', attempt: '4', error: 'The instance that ran it is gone.' },
    ]);
    await waitForPoll();
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
    await waitForPoll();
    expect(await waitForRuns(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
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
    await waitForPoll();
    expect(await runOf(job)).toMatchObject({ status: 'running', attempt: '2' });
    second.end();
    expect(await waitForRuns(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '2' }]);
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
    expect(await waitForRuns(job, 1)).toMatchObject([{ status: 'succeeded', attempt: '1' }]);
  });

  it('an edit that is stored while a run is being claimed counts for it', async () => {
    const { call } = people.admin;
    const job = await createRecord(call, '/cronjobs', { ...YEARLY, handler: 'Count', params: { n: 1 } });
    await waitForPoll();
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
    await waitForRuns(job, 1);
    expect(counted.map(({ params }) => params)).toEqual([{ n: 2 }]);
  });
});
