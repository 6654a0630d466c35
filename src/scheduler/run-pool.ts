import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { within } from '../common/within.js';
import { Execution } from './execution.js';
import type { HandlerRegistry } from './handler-registry.js';
import type { JobFigures } from './job-figures.js';
import type { Outcome } from './run-outcome.js';
import type { ClaimedRun, RunStore } from './run-store.js';
import type { SchedulerSettings } from './scheduler-settings.js';

/** After a failure, until the database is asked again. */
const RETRY_MS = 500;
/** How long a stop waits for handlers to heed the signal, before their runs are given back. */
const HEED_MS = 500;

/** A run that this instance holds. */
interface Slot {
  readonly execution: Execution;
  /** When the lease was asked for last, by `performance.now()`: from then on it holds for as long as a lease does. */
  leasedAt: number;
  /** How the try ended, until that is stored: the row is left to the statement that stores it. */
  outcome: Outcome | null;
}

/** The runs under way on this instance: bounded in number, their leases kept alive, their ends stored. */
export class RunPool {
  private readonly slots = new Map<string, Slot>();
  private storing: Promise<void> | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private emptied: () => void = () => undefined;
  private closed = false;

  /** @param freed called when there is room for more */
  constructor(
    private readonly instance: string,
    private readonly runs: RunStore,
    private readonly handlers: HandlerRegistry,
    private readonly settings: SchedulerSettings,
    private readonly log: Logger,
    private readonly figures: JobFigures,
    private readonly freed: () => void,
  ) {
    figures.watch(() => this.slots.size);
  }

  /** How many more runs there is room for. */
  get room(): number {
    return this.settings.concurrency - this.slots.size;
  }

  /** The ids of the runs that this instance holds. */
  ids(): string[] {
    return [...this.slots.keys()];
  }

  /**
   * Begins a claimed run.
   * @param leasedAt `performance.now()` before it was claimed
   */
  start(run: ClaimedRun, leasedAt: number): void {
    // A try that was taken over from us, while we were not looking, and has come back to us as the next one.
    const former = this.slots.get(run.id);
    if (former) this.lose(former);
    const log = this.log.child({ handler: run.handler, run: runName(run), attempt: run.attempt });
    const execution = new Execution(run, this.handlers, log, this.settings.runLimit);
    const slot: Slot = { execution, leasedAt, outcome: null };
    this.slots.set(run.id, slot);
    if (!this.heartbeat) this.beatAfter(this.settings.heartbeat);
    void execution.outcome.then((outcome) => {
      if (!this.holds(slot)) return; // lost or given back meanwhile
      if (outcome.status !== 'succeeded') {
        log.warn({ outcome: outcome.status, error: outcome.error }, 'cron run failed');
      } else log.debug('cron run succeeded');
      slot.outcome = outcome;
      this.figures.count(run.handler, outcome.status === 'queued' ? 'retried' : outcome.status);
      this.storing ??= this.store();
    });
  }

  /** The runs of a job that is gone: nobody wants their work any more. */
  drop(cronJobId: string): void {
    for (const slot of this.slots.values()) {
      if (slot.execution.run.cronJobId === cronJobId) this.lose(slot);
    }
  }

  /** Waits for the runs under way, for a while; then gives back what is left. */
  async stop(): Promise<void> {
    if (this.slots.size) {
      this.log.info({ runs: this.slots.size }, 'waiting for cron runs to end');
      const empty = new Promise<void>((resolve) => (this.emptied = resolve));
      await within(this.settings.stopGrace, empty, undefined);
    }
    this.closed = true;
    if (this.heartbeat) clearTimeout(this.heartbeat);
    const left = [...this.slots.values()].filter(({ outcome }) => !outcome);
    for (const { execution } of left) this.slots.delete(execution.run.id);
    for (const { execution } of left) execution.abort();
    await within(HEED_MS, Promise.all(left.map(({ execution }) => execution.outcome)), undefined);
    await this.giveBack(left);
    // What has ended and could not be stored yet is not to be run again: one more try.
    await this.storing;
    const ended = this.ended();
    if (ended.length) await this.finish(ended);
  }

  /** Stores ends as they come, many in a statement; a database that is away is waited for. */
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
      for (const slot of ended) this.free(slot);
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

  private beatAfter(ms: number): void {
    this.heartbeat = setTimeout(() => void this.beat(), ms);
  }

  private async beat(): Promise<void> {
    const { heartbeat } = this.settings;
    const heard = await this.extend();
    this.heartbeat = null;
    if (!this.closed && this.slots.size) this.beatAfter(heard ? heartbeat : Math.min(heartbeat, RETRY_MS));
  }

  /** Says that this instance lives, and hears which runs are no longer its own; whether the database heard it. */
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
      // Who can't reach the database must suppose that another instance has taken over by then.
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
    this.figures.count(run.handler, 'lost');
    this.free(slot);
    slot.execution.abort();
    slot.execution.fail(new Error('The run was lost.'));
  }

  private holds(slot: Slot): boolean {
    return this.slots.get(slot.execution.run.id) === slot;
  }

  private free(slot: Slot): void {
    if (!this.holds(slot)) return;
    this.slots.delete(slot.execution.run.id);
    if (this.slots.size === 0) this.emptied();
    this.freed();
  }
}

/** A run in the log: its tick. Row ids stay inside. */
function runName(run: ClaimedRun): string {
  return run.scheduledFor;
}
