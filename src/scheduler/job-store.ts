import { Injectable } from '@nestjs/common';
import { DedicatedConnection } from '../postgres/dedicated-connection.js';
import type { ResultRow } from '../postgres/statement.js';
import { notifyRunsQueued } from './messages.js';
import { nextTick } from './schedule.js';
import { SchedulerSettings } from './scheduler-settings.js';

/** Jobs dispatched in one transaction. */
const BATCH = 500;

/** An enabled job and how long it is until its next tick. */
export interface JobDelay {
  readonly id: string;
  /** In real milliseconds; null if there is no next tick. */
  readonly delay: number | null;
}

/** A job whose schedule has no next tick or can't be parsed. */
export interface UnschedulableJob {
  readonly id: string;
  readonly schedule: string;
  readonly timezone: string;
}

/** The scheduler's access to the table of CronJob records. */
@Injectable()
export class JobStore {
  constructor(
    private readonly connection: DedicatedConnection,
    private readonly settings: SchedulerSettings,
  ) {}

  /**
   * The enabled ones of the given jobs, or of all; and which of the given ones are `gone`. Fixes `nextRunAt` where it is
   * missing or later than the schedule says: after a job was inserted by SQL, or the clock went back.
   */
  async delays(
    ids: readonly string[] | null,
  ): Promise<{ jobs: JobDelay[]; unschedulable: UnschedulableJob[]; gone: string[] }> {
    const columns = `id, schedule, timezone, "nextRunAt", ${this.settings.clock.now} AS now`;
    const text = `SELECT ${columns}, enabled FROM cronjobs WHERE ${ids ? 'id = ANY($1::bigint[])' : 'enabled'}`;
    const found = await this.connection.query({ text, values: ids ? [ids] : [] });
    const known = new Set(found.map((row) => row.id));
    const rows = found.filter((row) => row.enabled === true);
    const nextOf = nextTicks();
    const unschedulable: UnschedulableJob[] = [];
    const fixed: { id: unknown; was: unknown; next: string }[] = [];
    const jobs = rows.map((row): JobDelay => {
      const next = nextOf(row);
      const { id } = row;
      const was = textOrNull(row.nextRunAt);
      if (next === null)
        unschedulable.push({
          id: String(id),
          schedule: String(row.schedule),
          timezone: String(row.timezone),
        });
      const isWrong = next !== null && (was === null || was > next);
      if (isWrong) fixed.push({ id, was, next });
      const at = isWrong ? next : was;
      return { id: String(id), delay: at === null ? null : this.delayUntil(at, String(row.now)) };
    });
    if (fixed.length) {
      await this.connection.query({
        text:
          'UPDATE cronjobs j SET "nextRunAt" = d.next FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) d(id, was, next)' +
          ' WHERE j.id = d.id AND j.enabled AND j."nextRunAt" IS NOT DISTINCT FROM d.was',
        values: [fixed.map((one) => one.id), fixed.map((one) => one.was), fixed.map((one) => one.next)],
      });
    }
    return { jobs, unschedulable, gone: (ids ?? []).filter((id) => !known.has(id)) };
  }

  /**
   * Queues a run for each due job and moves its `nextRunAt` to the next tick from now. One run makes up for all missed
   * ticks. A unique index makes sure that a tick is queued once. None is queued while an earlier one still waits for its
   * first try. Returns whether there may be more.
   */
  async dispatch(): Promise<{ now: string; more: boolean }> {
    const now = this.settings.clock.now;
    return this.connection.transaction(async (query) => {
      const rows = await query({
        text:
          `SELECT t.now, j.id, j.schedule, j.timezone, j."nextRunAt" FROM (SELECT ${now} AS now) t LEFT JOIN LATERAL` +
          ` (SELECT * FROM cronjobs WHERE enabled AND "nextRunAt" <= ${now} ORDER BY "nextRunAt", id LIMIT ${BATCH}` +
          ' FOR NO KEY UPDATE SKIP LOCKED) j ON true',
        values: [],
      });
      const due = rows.filter((row) => row.id !== null);
      const nextOf = nextTicks();
      if (due.length) {
        await query({
          text:
            'WITH d AS (SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) d(id, tick, next)),' +
            ' moved AS (UPDATE cronjobs j SET "nextRunAt" = d.next FROM d WHERE j.id = d.id)' +
            ' INSERT INTO cronruns ("cronJobId", "scheduledFor", "dueAt") SELECT d.id, d.tick, d.tick FROM d' +
            ' WHERE NOT EXISTS (SELECT 1 FROM cronruns w WHERE w."cronJobId" = d.id' +
            " AND w.status = 'queued' AND w.attempt = 0 AND NOT w.manual)" +
            ' ON CONFLICT ("cronJobId", "scheduledFor") DO NOTHING',
          values: [
            due.map((row) => row.id),
            due.map((row) => row.nextRunAt),
            due.map((row) => nextOf(row, textOrNull(row.nextRunAt))),
          ],
        });
        await query(notifyRunsQueued());
      }
      return { now: String(rows[0]?.now), more: due.length === BATCH };
    });
  }

  private delayUntil(at: string, now: string): number {
    return Math.max(0, Math.ceil((Date.parse(at) - Date.parse(now)) / this.settings.clock.rate));
  }
}

/**
 * Finds the next tick of rows, once for each schedule: many jobs share one. It counts from `now` or, if the clock moved
 * between two reads, from the due tick.
 */
function nextTicks(): (row: ResultRow, due?: string | null) => string | null {
  const known = new Map<string, string | null>();
  return (row, due = null) => {
    const now = String(row.now);
    const from = due !== null && due > now ? due : now;
    const key = `${from} ${String(row.timezone)} ${String(row.schedule)}`;
    let next = known.get(key);
    if (next === undefined) {
      next = nextTick(String(row.schedule), String(row.timezone), from);
      known.set(key, next);
    }
    return next;
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
