import { Injectable } from '@nestjs/common';
import { conflict } from '../../common/errors.js';
import type { RecordResponse } from '../../record/response/record-response.js';
import { RecordEngine } from '../../record/record-engine.js';
import { RecordService, type WriteRequest } from '../../record/record.service.js';
import type { Transaction } from '../../postgres/database.js';
import type { Row } from '../../record/row.js';
import { notifyRunsQueued } from '../../scheduler/messages.js';
import { SchedulerSettings } from '../../scheduler/scheduler-settings.js';
import { CronRun } from './cron-run.entity.js';

/** The number of waiting requested runs of one job. */
const MAX_WAITING = 100;

/** The history of cron jobs: read-only over the API, written by the scheduler. */
@Injectable()
export class CronRunService extends RecordService<CronRun> {
  constructor(
    engine: RecordEngine,
    private readonly settings: SchedulerSettings,
  ) {
    super(engine, CronRun);
  }

  /**
   * Queues a run of a job now.
   * @param locked locks and returns the job's row, if the caller may run it
   * @throws ApiError 409 if too many such runs wait already
   */
  async queue(locked: (tx: Transaction) => Promise<Row>, request: WriteRequest): Promise<RecordResponse> {
    const { includes, warnings } = this.includes(request.query);
    const run = await this.writing(async (tx) => {
      const job = await locked(tx);
      await this.reauthorize(request.viewer, tx);
      const row = await this.insertRun(tx, job.id);
      await tx.query(notifyRunsQueued());
      return row;
    }, request);
    return this.respond(request.viewer, run, includes, warnings);
  }

  private async insertRun(tx: Transaction, jobId: string): Promise<Row> {
    const { now } = this.settings.clock;
    const [waiting] = await tx.query({
      text: `SELECT count(*) AS count FROM cronruns WHERE "cronJobId" = $1 AND status = 'queued' AND manual`,
      values: [jobId],
    });
    if (Number(waiting?.count) >= MAX_WAITING)
      throw conflict(`${MAX_WAITING} runs of this job wait already.`);
    // The first millisecond from now that no other run of the job has; the job's lock keeps it free.
    const [free] = await tx.query({
      text:
        `SELECT t, ${now} AS now FROM generate_series(date_trunc('milliseconds', ${now}), ${now} + interval '1 second', interval '1 millisecond') t` +
        ' WHERE NOT EXISTS (SELECT 1 FROM cronruns WHERE "cronJobId" = $1 AND "scheduledFor" = t) ORDER BY t LIMIT 1',
      values: [jobId],
    });
    const values = { cronJobId: jobId, scheduledFor: free?.t, dueAt: free?.now, manual: true };
    return this.engine.store.insert(tx, this.kind, new Map(Object.entries(values)));
  }
}
