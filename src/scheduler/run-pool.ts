import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../common/with-timeout.js';
import { Execution } from './execution.js';
import type { HandlerRegistry } from './handler-registry.js';
import type { JobStats } from './job-stats.js';
import type { Outcome } from './run-outcome.js';
import type { ClaimedRun, RunStore } from './run-store.js';
import type { SchedulerSettings } from './scheduler-settings.js';

/** The pause after a failed statement. */
const RETRY_MS = 500;
/** How long a stop waits for aborted handlers before it gives their runs back. */
const ABORT_GRACE_MS = 500;

/** A run that this instance holds. */
interface Slot {
  readonly execution: Execution;
  /** When the lease was last requested, by `performance.now()`. It is valid from then on. */
  leasedAt: number;
  /** How the try ended, until that is stored. Only the statement that stores it touches the row then. */
  outcome: Outcome | null;
}

/** The active runs of this instance. Limits their number, extends their leases and stores their outcomes. */
export class RunPool {
  private readonly slots = new Map<string, Slot>();
  private storing: Promise<void> | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private onEmpty: () => void = () => undefined;
  private closed = false;

  /** @param onFree called when a slot becomes free */
  constructor(
    private readonly instance: string,
    private readonly runs: RunStore,
    private readonly handlers: HandlerRegistry,
    private readonly settings: SchedulerSettings,
    private readonly log: Logger,
    private readonly stats: JobStats,
    private readonly onFree: () => void,
  ) {
    stats.watch(() => this.slots.size);
  }

  /** The number of free slots. */
  get available(): number {
    return this.settings.concurrency - this.slots.size;
  }

  /** The ids of the active runs. */
  ids(): string[] {
    return [...this.slots.keys()];
  }

  /**
   * Starts a claimed run.
   * @param leasedAt `performance.now()` before it was claimed
   */
  start(run: ClaimedRun, leasedAt: number): void {
    // Another instance took the former try over before we noticed, and we claimed the next try.
    const former = this.slots.get(run.id);
    if (former) this.lose(former);
    const log = this.log.child({ handler: run.handler, run: runName(run), attempt: run.attempt });
    const execution = new Execution(run, this.handlers, log, this.settings.runLimit);
    const slot: Slot = { execution, leasedAt, outcome: null };
    this.slots.set(run.id, slot);
    if (!this.heartbeat) this.scheduleHeartbeat(this.settings.heartbeat);
    void execution.outcome.then((outcome) => {
      if (!this.holds(slot)) return; // lost or given back meanwhile
      if (outcome.status !== 'succeeded') {
        log.warn({ outcome: outcome.status, error: outcome.error }, 'cron run failed');
      } else log.debug('cron run succeeded');
      slot.outcome = outcome;
      this.stats.count(run.handler, outcome.status === 'queued' ? 'retried' : outcome.status);
      this.storing ??= this.store();
    });
  }

  /** Aborts the runs of a deleted job. */
  drop(cronJobId: string): void {
    for (const slot of this.slots.values()) {
      if (slot.execution.run.cronJobId === cronJobId) this.lose(slot);
    }
  }

  /** Waits for the active runs, up to the grace period, then gives the rest back. */
  async stop(): Promise<void> {
    if (this.slots.size) {
      this.log.info({ runs: this.slots.size }, 'waiting for cron runs to end');
      const empty = new Promise<void>((resolve) => (this.onEmpty = resolve));
      await withTimeout(this.settings.stopGrace, empty, undefined);
    }
    this.closed = true;
    if (this.heartbeat) clearTimeout(this.heartbeat);
    const left = [...this.slots.values()].filter(({ outcome }) => !outcome);
    for (const { execution } of left) this.slots.delete(execution.run.id);
    for (const { execution } of left) execution.abort();
    await withTimeout(ABORT_GRACE_MS, Promise.all(left.map(({ execution }) => execution.outcome)), undefined);
    await this.giveBack(left);
    // A finished run whose outcome is not stored would run again. Try once more.
    await this.storing;
    const ended = this.ended();
    if (ended.length) await this.finish(ended);
  }

  /** Stores outcomes in batches, and retries while the database is unavailable. */
  private async store(): Promise<void> {
    await new Promise(setImmediate);
    for (let ended = this.ended(); ended.length && !this.closed; ended = this.ended()) {
      if (!(await this.finish(ended))) await sleep(RETRY_MS);
    }
    this.storing = null;
  }

  private ended(): (Slot & { outcome: Outcome })[] {
    return [...this.slots.values()].filter(
      (slot): slot is Slot & { outcome: Outcome } => slot.outcome !== null,
    );
  }

  private async finish(ended: (Slot & { outcome: Outcome })[]): Promise<boolean> {
    try {
      await this.runs.finish(
        this.instance,
        ended.map(({ execution, outcome }) => ({ run: execution.run, outcome })),
      );
      for (const slot of ended) this.release(slot);
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'cron runs: their ends could not be stored');
      return false;
    }
  }

  private async giveBack(left: readonly Slot[]): Promise<void> {
    if (!left.length) return;
    const ids = left.map(({ execution }) => execution.run.id);
    try {
      await this.runs.giveBack(this.instance, ids);
      this.log.info({ runs: ids.length }, 'cron runs given back: they took too long to wait for');
    } catch (error) {
      this.log.error({ err: error }, 'cron runs were not given back');
    }
    for (const { execution } of left) execution.fail(new Error('The service stopped.'));
  }

  private scheduleHeartbeat(ms: number): void {
    this.heartbeat = setTimeout(() => void this.sendHeartbeat(), ms);
  }

  private async sendHeartbeat(): Promise<void> {
    const { heartbeat } = this.settings;
    const acknowledged = await this.extend();
    this.heartbeat = null;
    if (!this.closed && this.slots.size)
      this.scheduleHeartbeat(acknowledged ? heartbeat : Math.min(heartbeat, RETRY_MS));
  }

  /** Extends the leases, and drops the runs whose leases are lost. Returns whether the database was reachable. */
  private async extend(): Promise<boolean> {
    const held = [...this.slots.values()].filter(({ outcome }) => !outcome);
    if (!held.length) return true;
    const asked = performance.now();
    try {
      const ids = held.map(({ execution }) => execution.run.id);
      const kept = await this.runs.extend(this.instance, ids);
      for (const slot of held) {
        const { id, attempt } = slot.execution.run;
        if (kept.has(`${id} ${attempt}`)) slot.leasedAt = asked;
        else if (!slot.outcome) this.lose(slot);
      }
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'cron leases could not be extended; trying again');
      // Without the database, assume that other instances have taken over all runs whose leases have expired.
      const over = performance.now() - this.settings.lease;
      for (const slot of held) if (slot.leasedAt < over && !slot.outcome) this.lose(slot);
      return false;
    }
  }

  private lose(slot: Slot): void {
    if (!this.holds(slot)) return;
    const { run } = slot.execution;
    this.log.warn(
      { handler: run.handler, run: runName(run), attempt: run.attempt },
      'lease lost: another instance owns this run, or it is gone',
    );
    this.stats.count(run.handler, 'lost');
    this.release(slot);
    slot.execution.abort();
    slot.execution.fail(new Error('The run was lost.'));
  }

  private holds(slot: Slot): boolean {
    return this.slots.get(slot.execution.run.id) === slot;
  }

  private release(slot: Slot): void {
    if (!this.holds(slot)) return;
    this.slots.delete(slot.execution.run.id);
    if (this.slots.size === 0) this.onEmpty();
    this.onFree();
  }
}

/** The name of a run in the log: its tick. Row ids are internal. */
function runName(run: ClaimedRun): string {
  return run.scheduledFor;
}
