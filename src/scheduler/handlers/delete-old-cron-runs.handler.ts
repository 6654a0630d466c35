import { IsInt, Max, Min } from 'class-validator';
import { Database } from '../../postgres/database.js';
import { CronHandler, type CronContext, type CronTask } from '../cron-handler.js';
import { SchedulerSettings } from '../scheduler-settings.js';

const BATCH = 1000;

/** How long the history is kept. */
export class DeleteOldCronRunsParams {
  /** Days since the run finished. */
  @IsInt()
  @Min(1)
  @Max(36_500)
  days = 30;
}

/** Deletes runs that finished long ago. */
@CronHandler('DeleteOldCronRuns', { params: DeleteOldCronRunsParams })
export class DeleteOldCronRunsHandler implements CronTask<DeleteOldCronRunsParams> {
  constructor(
    private readonly database: Database,
    private readonly settings: SchedulerSettings,
  ) {}

  async run({ days }: DeleteOldCronRunsParams, { signal, log }: CronContext): Promise<void> {
    const text =
      'DELETE FROM cronruns WHERE id IN (SELECT id FROM cronruns' +
      ` WHERE "finishedAt" < ${this.settings.clock.now} - $1 * interval '1 day' ORDER BY "finishedAt" LIMIT ${BATCH})` +
      ' RETURNING id';
    let deleted = 0;
    for (let n = BATCH; n === BATCH && !signal.aborted; deleted += n) {
      n = (await this.database.write({ text, values: [days] })).length;
    }
    log.info({ deleted }, 'old cron runs deleted');
  }
}
