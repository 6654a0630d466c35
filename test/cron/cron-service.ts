import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { installClock, TEST_CLOCK, until } from '../support/cron-clock.js';
import { createDatabase } from '../support/database.js';
import { type Fixture, resetFixture } from '../support/fixture.js';
import { startTestService, type TestService } from '../support/service.js';
import { Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { IsInt, Max, Min } from 'class-validator';
import { CronHandler, type CronContext, type CronTask } from '../../src/scheduler/cron-handler.js';
import { createRecord } from '../support/belongings.js';
import { rowId } from '../support/rows.js';

/* One instance with four handlers to watch, under a clock that the test moves. */

/** What Count takes. */
export class CountParams {
  @IsInt()
  @Min(1)
  @Max(9)
  n = 1;
}

/** How many tries of Hangs were told to end. */
export let aborted = 0;
/** The database of {@link useCronService}. */
export let database: { url: string; drop(): Promise<void> };
/** The instance of {@link useCronService}. */
export let service: TestService;
/** The users in its database. */
export let people: Fixture;

/** Tries of Count, in the order in which they began. */
export const counted: { params: CountParams; context: CronContext }[] = [];

/** Writes down each try in {@link counted}. */
@CronHandler('Count', { params: CountParams })
export class CountHandler implements CronTask<CountParams> {
  run(params: CountParams, context: CronContext): Promise<void> {
    counted.push({ params, context });
    return Promise.resolve();
  }
}

/** Never ends. */
@CronHandler('Hangs')
export class HangsHandler implements CronTask {
  run(_params: object, { signal }: CronContext): Promise<void> {
    signal.addEventListener('abort', () => aborted++);
    return new Promise(() => undefined);
  }
}

/** Tries of Held under way, in the order in which they began. */
export const held: { context: CronContext; end: () => void }[] = [];

/** Ends when the test says so. */
@CronHandler('Held')
export class HeldHandler implements CronTask {
  run(_params: object, context: CronContext): Promise<void> {
    return new Promise((end) => held.push({ context, end }));
  }
}

/** Fails before it has begun. */
@CronHandler('Throws')
export class ThrowsHandler implements CronTask {
  run(): Promise<void> {
    throw new Error('thrown at once');
  }
}

/** The four of them. */
@Module({ providers: [CountHandler, HangsHandler, HeldHandler, ThrowsHandler] })
export class WatchedHandlers {}

/** The time at which each test begins. */
export const START = '2026-11-28T12:00:30.000Z';
/** A job that is not due by itself in any test. */
export const YEARLY = { schedule: '0 0 1 1 *', handler: 'Test' };

/** A row of the table of runs. */
export interface RunRow {
  id: string;
  status: string;
  attempt: string;
  error: string | null;
  scheduledFor: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** The runs of a job, the earliest first. */
export const runsOf = (job: string) =>
  service.sql<RunRow>('SELECT * FROM cronruns WHERE "cronJobId" = $1 ORDER BY "scheduledFor"', [
    rowId(service, 'CronJob', job),
  ]);

/** Waits until the job has so many runs and all of them are over. */
export const waitForRuns = (job: string, n: number) =>
  until(`${n} finished runs`, async () => {
    const runs = await runsOf(job);
    return runs.length >= n && runs.every(({ status }) => ['succeeded', 'failed'].includes(status)) && runs;
  });

/** The one run of a job. */
export const runOf = async (job: string) => {
  const [run] = await runsOf(job);
  if (!run) throw new Error('The job has no run.');
  return run;
};
/** The service has looked at what was due before, because it has run something that was asked for since. */
export const waitForPoll = async () => {
  const job = await createRecord(people.admin.call, '/cronjobs', YEARLY);
  await people.admin.call.post(`/cronjobs/${job}/run`);
  await waitForRuns(job, 1);
};

/** The timers that the service has set, by name. */
export const timers = () => service.app.get(SchedulerRegistry).getTimeouts();
/** The name of a job's timer. */
export const timerOf = (job: string) => `CronJob ${rowId(service, 'CronJob', job)}`;

/** Starts a service for the tests of a file; each test begins without jobs, and at START. */
export function useCronService(): void {
  beforeAll(async () => {
    database = await createDatabase('plain');
    await installClock(database.url, START);
    service = await startTestService({
      kinds: [WatchedHandlers],
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
}
