import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { DedicatedConnection } from '../postgres/dedicated-connection.js';
import { notifyRunsQueuedIf } from './messages.js';
import { MAX_ATTEMPTS, type Outcome } from './run-outcome.js';
import { SchedulerSettings } from './scheduler-settings.js';

/** A run that this instance has claimed. */
export interface ClaimedRun {
  readonly id: string;
  readonly cronJobId: string;
  readonly scheduledFor: string;
  /** Which try this is. Together with the run's id it identifies this claim. */
  readonly attempt: number;
  readonly handler: string;
  readonly params: unknown;
}

/** How a claimed run's try ended. */
export interface FinishedRun {
  readonly run: ClaimedRun;
  readonly outcome: Outcome;
}

/** The state of the queue, which all instances share. */
export interface QueueStats {
  /** Due runs that no instance has claimed. */
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued run has been due, in seconds; 0 if none is. */
  readonly waitedSeconds: number;
}

const UNIQUE_VIOLATION = '23505';
const MAX_TRIES = 5;
const GONE = 'The instance that ran it is gone.';
const UNWANTED = 'Its instance stopped in the middle, and the job is disabled.';

/**
 * The scheduler's access to the table of CronRun records. Leases use real time, everything else the scheduler's clock.
 * Later writes of a claim are fenced: they apply only while the row still has this instance and this attempt.
 */
@Injectable()
export class RunStore {
  private readonly claimText: string;
  private readonly finishText: string;

  constructor(
    private readonly connection: DedicatedConnection,
    private readonly settings: SchedulerSettings,
    private readonly database: Database,
  ) {
    const { now } = settings.clock;
    this.claimText =
      'WITH due AS (SELECT r.id, r."cronJobId", r."dueAt", j.handler, j.params FROM cronruns r JOIN cronjobs j ON j.id = r."cronJobId"' +
      ` WHERE r.status = 'queued' AND r."dueAt" <= ${now} AND (j.enabled OR r.manual) AND NOT EXISTS` +
      ` (SELECT 1 FROM cronruns a WHERE a."cronJobId" = r."cronJobId" AND a.status = 'running')` +
      ' ORDER BY r."dueAt", r.id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED),' +
      ' first AS (SELECT DISTINCT ON ("cronJobId") id, handler, params FROM due ORDER BY "cronJobId", "dueAt", id),' +
      ` claimed AS (UPDATE cronruns r SET status = 'running', attempt = attempt + 1, "startedAt" = ${now}, error = NULL,` +
      ` "leasedBy" = $1, "leaseUntil" = clock_timestamp() + $2 * interval '1 millisecond', "updatedAt" = now()` +
      ' FROM first WHERE r.id = first.id RETURNING r.id, r."cronJobId", r."scheduledFor", r.attempt, r."startedAt"),' +
      ' marked AS (UPDATE cronjobs j SET "lastRunAt" = c."startedAt" FROM claimed c WHERE j.id = c."cronJobId")' +
      // From the CTE, as of the lock. The table would show them as of the beginning of the statement.
      ' SELECT c.id, c."cronJobId", c."scheduledFor", c.attempt, f.handler, f.params' +
      ' FROM claimed c JOIN first f ON f.id = c.id';
    this.finishText =
      'WITH d AS (SELECT * FROM unnest($2::bigint[], $3::int[], $4::text[], $5::text[], $6::int[])' +
      ' d(id, attempt, status, error, pause)), f AS (SELECT r.id, d.error, d.pause, d.attempt,' +
      " CASE WHEN d.status = 'queued' AND NOT (j.enabled OR r.manual) THEN 'failed' ELSE d.status END AS status" +
      ' FROM d JOIN cronruns r ON r.id = d.id JOIN cronjobs j ON j.id = r."cronJobId")' +
      ' UPDATE cronruns r SET status = f.status, error = f.error,' +
      ` "finishedAt" = CASE WHEN f.status = 'queued' THEN NULL ELSE ${now} END,` +
      ` "dueAt" = ${now} + f.pause * interval '1 millisecond', "leasedBy" = NULL, "leaseUntil" = NULL, "updatedAt" = now()` +
      ` FROM f WHERE r.id = f.id AND r.attempt = f.attempt AND r."leasedBy" = $1 AND r.status = 'running'`;
  }

  /**
   * Claims up to `limit` due runs, of different jobs, for `instance`. Row locks keep two instances from claiming the same
   * run, and almost always from claiming two runs of one job. Between two snapshots both could happen; a unique index
   * refuses that, and the claim is retried.
   */
  async claim(instance: string, limit: number): Promise<ClaimedRun[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const values = [instance, this.settings.lease, limit];
        const rows = await this.connection.query({ name: 'cron_claim', text: this.claimText, values });
        return rows.map((row) => ({
          id: String(row.id),
          cronJobId: String(row.cronJobId),
          scheduledFor: String(row.scheduledFor),
          attempt: Number(row.attempt),
          handler: String(row.handler),
          params: row.params,
        }));
      } catch (error) {
        if (attempt === MAX_TRIES || !isCode(error, UNIQUE_VIOLATION)) throw error;
      }
    }
  }

  /** Stores the outcomes of runs. A disabled job is not retried. */
  async finish(instance: string, finished: readonly FinishedRun[]): Promise<void> {
    await this.connection.query({
      name: 'cron_finish',
      text: this.finishText,
      values: [
        instance,
        finished.map(({ run }) => run.id),
        finished.map(({ run }) => run.attempt),
        finished.map(({ outcome }) => outcome.status),
        finished.map(({ outcome }) => ('error' in outcome ? outcome.error : null)),
        finished.map(({ outcome }) => ('retryAfter' in outcome ? outcome.retryAfter : 0)),
      ],
    });
  }

  /** Extends the leases of this instance. Returns the runs that it still holds, as `<id> <attempt>`. */
  async extend(instance: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.connection.query({
      name: 'cron_extend',
      text:
        `UPDATE cronruns SET "leaseUntil" = clock_timestamp() + $2 * interval '1 millisecond'` +
        ` WHERE id = ANY($3::bigint[]) AND "leasedBy" = $1 AND status = 'running' RETURNING id, attempt`,
      values: [instance, this.settings.lease, ids],
    });
    return new Set(rows.map((row) => `${String(row.id)} ${String(row.attempt)}`));
  }

  /**
   * Queues anew what instances that are gone were running; what has had all its tries has failed.
   * @param held runs that `instance` still goes on with: it is not gone, it was only slow to say so
   */
  async takeOver(instance: string, held: readonly string[]): Promise<void> {
    const { now } = this.settings.clock;
    const over = `(r.attempt >= ${MAX_ATTEMPTS} OR NOT (l.enabled OR r.manual))`;
    await this.connection.query({
      name: 'cron_take_over',
      text:
        'WITH l AS (SELECT r.id, j.enabled FROM cronruns r JOIN cronjobs j ON j.id = r."cronJobId"' +
        ` WHERE r.status = 'running' AND r."leaseUntil" < (SELECT clock_timestamp())` +
        ' AND NOT (r."leasedBy" = $2 AND r.id = ANY($3::bigint[])) FOR NO KEY UPDATE OF r SKIP LOCKED),' +
        ` t AS (UPDATE cronruns r SET status = CASE WHEN ${over} THEN 'failed' ELSE 'queued' END,` +
        ` "finishedAt" = CASE WHEN ${over} THEN ${now} END, error = $1, "dueAt" = ${now},` +
        ' "leasedBy" = NULL, "leaseUntil" = NULL, "updatedAt" = now() FROM l WHERE r.id = l.id RETURNING 1)' +
        ` ${notifyRunsQueuedIf('t')}`,
      values: [GONE, instance, held],
    });
  }

  /** Gives back runs that this instance can't finish. The try does not count. Runs of disabled jobs fail instead. */
  async giveBack(instance: string, ids: readonly string[]): Promise<void> {
    const { now } = this.settings.clock;
    await this.connection.query({
      text:
        'WITH l AS (SELECT r.id, j.enabled OR r.manual AS wanted FROM cronruns r JOIN cronjobs j ON j.id = r."cronJobId"' +
        ` WHERE r.id = ANY($2::bigint[]) AND r."leasedBy" = $1 AND r.status = 'running' FOR NO KEY UPDATE OF r),` +
        ` t AS (UPDATE cronruns r SET status = CASE WHEN wanted THEN 'queued' ELSE 'failed' END,` +
        ' attempt = r.attempt - wanted::int, "startedAt" = CASE WHEN NOT wanted THEN r."startedAt" END,' +
        ` "finishedAt" = CASE WHEN NOT wanted THEN ${now} END, error = CASE WHEN NOT wanted THEN $3 END, "dueAt" = ${now},` +
        ' "leasedBy" = NULL, "leaseUntil" = NULL, "updatedAt" = now() FROM l WHERE r.id = l.id RETURNING 1)' +
        ` ${notifyRunsQueuedIf('t')}`,
      values: [instance, ids, UNWANTED],
    });
  }

  /** The state of the queue. Does not use the connection for leases, which must not wait. */
  async queue(): Promise<QueueStats> {
    const { now, rate } = this.settings.clock;
    const text =
      'SELECT q.n AS queued, r.n AS running, q.age FROM' +
      ` (SELECT count(*) AS n, extract(epoch FROM ${now} - min("dueAt")) AS age FROM cronruns` +
      ` WHERE status = 'queued' AND "dueAt" <= ${now}) q,` +
      ` (SELECT count(*) AS n FROM cronruns WHERE status = 'running') r`;
    const [row] = await this.database.read('list', {
      name: 'cron_queue',
      text,
      values: [],
      table: 'cronruns',
    });
    return {
      queued: Number(row?.queued),
      running: Number(row?.running),
      waitedSeconds: Math.max(0, Number(row?.age ?? 0)) / rate,
    };
  }

  /** Real milliseconds until the next queued run is due; null when none waits. */
  async nextDue(): Promise<number | null> {
    const { now, rate } = this.settings.clock;
    const text =
      `SELECT extract(epoch FROM min("dueAt") - ${now}) * 1000 AS wait FROM cronruns` +
      ` WHERE status = 'queued' AND "dueAt" > ${now}`;
    const [row] = await this.connection.query({ name: 'cron_next', text, values: [] });
    return row?.wait === null || row === undefined ? null : Math.max(0, Math.ceil(Number(row.wait) / rate));
  }
}

function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
