import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Execution } from './execution.js';
import type { HandlerRegistry } from './handler-registry.js';
import type { JobFigures } from './job-figures.js';
import type { ClaimedRun, FinishedRun, RunStore } from './run-store.js';
import type { SchedulerSettings } from './scheduler-settings.js';

const RETRY_STORE_MS = 500;
/** How long a stop waits for handlers to heed the signal, once their runs are given back. */
const HEED_MS = 500;

/** The runs under way on this instance: bounded in number, their leases kept alive, their ends stored. */
export class RunPool {
  private readonly executions = new Map<string, Execution>();
  /** Runs that have ended, until that is stored: their rows are left to the statement that stores it. */
  private readonly ending = new Set<string>();
  private readonly unstored: FinishedRun[] = [];
  private storing: Promise<void> | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
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
    figures.watch(() => this.executions.size);
  }

  /** How many more runs there is room for. */
  get room(): number {
    return this.settings.concurrency - this.executions.size;
  }

  /** Begins a claimed run. */
  start(run: ClaimedRun): void {
    const log = this.log.child({ handler: run.handler, run: runName(run), attempt: run.attempt });
    const execution = new Execution(run, this.handlers, log, this.settings.runLimit);
    this.executions.set(run.id, execution);
    this.heartbeat ??= setInterval(() => void this.extend(), this.settings.heartbeat);
    void execution.outcome.then((outcome) => {
      if (this.executions.get(run.id) !== execution) return; // lost or given back meanwhile
      if (outcome.status !== 'succeeded') {
        log.warn({ outcome: outcome.status, error: outcome.error }, 'cron run failed');
      } else log.debug('cron run succeeded');
      this.figures.count(run.handler, outcome.status === 'queued' ? 'retried' : outcome.status);
      this.ending.add(run.id);
      this.unstored.push({ run, outcome });
      this.storing ??= this.store();
    });
  }

  /** The runs of a job that is gone: nobody wants their work any more. */
  drop(cronJobId: string): void {
    for (const [id, execution] of this.executions) {
      if (execution.run.cronJobId === cronJobId) this.lose(id, execution);
    }
  }

  /** Waits for the runs under way, for a while; then gives back what is left. */
  async stop(): Promise<void> {
    const end = Date.now() + this.settings.stopGrace;
    while (this.executions.size > 0 && Date.now() < end) await sleep(20);
    this.closed = true;
    if (this.heartbeat) clearInterval(this.heartbeat);
    const left = [...this.executions.entries()];
    if (!left.length) return;
    this.executions.clear();
    for (const [, execution] of left) execution.abort();
    await Promise.race([Promise.all(left.map(([, { outcome }]) => outcome)), sleep(HEED_MS)]);
    await this.runs
      .giveBack(
        this.instance,
        left.map(([id]) => id),
      )
      .catch((error: unknown) => this.log.error({ err: error }, 'cron runs were not given back'));
    for (const [, execution] of left) execution.fail(new Error('The service stopped.'));
  }

  /** Stores ends as they come, many in a statement; a database that is away is waited for. */
  private async store(): Promise<void> {
    await new Promise(setImmediate);
    while (this.unstored.length && !this.closed) {
      const batch = this.unstored.splice(0);
      try {
        await this.runs.finish(this.instance, batch);
        for (const { run } of batch) this.forget(run);
      } catch (error) {
        this.unstored.unshift(...batch);
        this.log.warn({ err: error }, 'cron runs: their ends could not be stored; trying again');
        await sleep(RETRY_STORE_MS);
      }
    }
    this.storing = null;
  }

  private forget(run: ClaimedRun): void {
    this.ending.delete(run.id);
    if (this.executions.get(run.id)?.run === run) this.executions.delete(run.id);
    if (this.executions.size === 0 && this.heartbeat) {
      clearInterval(this.heartbeat);
      this.heartbeat = null;
    }
    this.freed();
  }

  private async extend(): Promise<void> {
    const held = [...this.executions.entries()].filter(([id]) => !this.ending.has(id));
    if (!held.length) return;
    try {
      const kept = await this.runs.extend(
        this.instance,
        held.map(([id]) => id),
      );
      for (const [id, execution] of held) {
        const isKept = kept.has(`${id} ${execution.run.attempt}`);
        if (!isKept && this.executions.get(id) === execution && !this.ending.has(id))
          this.lose(id, execution);
      }
    } catch (error) {
      this.log.warn({ err: error }, 'cron leases could not be extended; trying again');
    }
  }

  private lose(id: string, execution: Execution): void {
    this.log.warn(
      { handler: execution.run.handler, run: runName(execution.run) },
      'cron run lost: it is another instance’s now, or gone',
    );
    this.figures.count(execution.run.handler, 'lost');
    this.executions.delete(id);
    this.ending.delete(id);
    execution.abort();
    execution.fail(new Error('The run was lost.'));
    this.freed();
  }
}

/** A run in the log: its tick. Row ids stay inside. */
function runName(run: ClaimedRun): string {
  return run.scheduledFor;
}
