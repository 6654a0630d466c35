import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { SERVICE_LOG } from '../http/logging.module.js';
import { DedicatedConnection } from '../postgres/dedicated-connection.js';
import { type Listener, Listeners } from '../postgres/listener.js';
import { HandlerRegistry } from './handler-registry.js';
import { JobStats } from './job-stats.js';
import { JobStore, type UnschedulableJob } from './job-store.js';
import { JobTimers } from './job-timers.js';
import { CHANNEL, parseMessage } from './messages.js';
import { RunPool } from './run-pool.js';
import { RunStore } from './run-store.js';
import { SchedulerSettings } from './scheduler-settings.js';
import { watchUnhandledErrors } from './unhandled-errors.js';

const RETRY_DELAY_MS = 1000;
/** How long one cycle may start runs before the loop checks for other work. */
const START_BUDGET_MS = 200;

/**
 * Runs jobs on this instance. One loop does all the work. A job's timer, a notification from another instance, a finished
 * run, or the poll interval (for anything missed) requests a cycle. Cycles never overlap.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly instance = randomUUID();
  private readonly pool: RunPool;
  /** Jobs whose timers must be set again; `all` after a start or a lost connection. */
  private changed: Set<string> | 'all' = 'all';
  private readonly reported = new Set<string>();
  private listener: Listener | null = null;
  private running: Promise<void> | null = null;
  private cycleRequested = false;
  private failing = false;
  private stopping = false;
  private lastDispatchAt = '';
  private timer: NodeJS.Timeout | null = null;
  private unwatch: () => void = () => undefined;

  constructor(
    private readonly jobs: JobStore,
    private readonly runs: RunStore,
    private readonly timers: JobTimers,
    private readonly listeners: Listeners,
    private readonly settings: SchedulerSettings,
    private readonly connection: DedicatedConnection,
    handlers: HandlerRegistry,
    stats: JobStats,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {
    this.pool = new RunPool(this.instance, runs, handlers, settings, log, stats, () => this.requestCycle());
  }

  onApplicationBootstrap(): void {
    if (this.settings.concurrency === 0) return;
    this.unwatch = watchUnhandledErrors(this.log);
    this.listener = this.listeners.make({
      channel: CHANNEL,
      message: (payload) => this.onNotification(payload),
      connected: () => {
        this.changed = 'all';
        this.requestCycle();
      },
    });
    this.listener.start();
    this.requestCycle();
  }

  /** Claims no more runs. Waits for the active ones to finish, then gives the rest back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    if (this.timer) clearTimeout(this.timer);
    this.timers.clear();
    await this.listener?.close();
    await this.running;
    await this.pool.stop();
    await this.connection.close();
    this.unwatch();
  }

  private onNotification(payload: string): void {
    const message = parseMessage(payload);
    if (message === null) return;
    if (message !== 'runs' && this.changed !== 'all') this.changed.add(message.job);
    this.requestCycle();
  }

  /** Runs a cycle now, or another one if one is running already. */
  private requestCycle(): void {
    if (this.stopping) return;
    this.cycleRequested = true;
    this.running ??= this.runCycles().finally(() => {
      this.running = null;
      if (this.cycleRequested) this.requestCycle(); // requested after the last cycle began
    });
  }

  private async runCycles(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    let pause = this.settings.pollInterval;
    try {
      while (this.cycleRequested && !this.stopping) {
        await new Promise(setImmediate); // one cycle for all requests of this tick
        this.cycleRequested = false;
        pause = await this.runCycle();
      }
      if (this.failing) this.log.info('the scheduler works again');
      this.failing = false;
    } catch (error) {
      this.cycleRequested = false;
      if (!this.failing) this.log.warn({ err: error }, 'the scheduler can’t work now; trying again');
      this.failing = true;
      this.changed = 'all';
      pause = RETRY_DELAY_MS;
    }
    if (!this.stopping) this.timer = setTimeout(() => this.requestCycle(), pause);
  }

  /** Does all work that is due. Returns how long to wait for the next cycle, in milliseconds. */
  private async runCycle(): Promise<number> {
    const more = await this.dispatch();
    await this.setTimers();
    await this.runs.takeOver(this.instance, this.pool.ids());
    await this.startRuns();
    if (more) this.cycleRequested = true;
    const next = this.pool.available > 0 && !this.cycleRequested ? await this.runs.nextDue() : null;
    return Math.min(this.settings.pollInterval, next ?? this.settings.pollInterval);
  }

  /** Starts runs while slots are free and runs are due. Limited in time, so that a backlog does not delay the other work. */
  private async startRuns(): Promise<void> {
    const end = performance.now() + START_BUDGET_MS;
    while (this.pool.available > 0 && !this.stopping) {
      const asked = performance.now();
      if (asked > end) {
        this.cycleRequested = true;
        return;
      }
      const claimed = await this.runs.claim(this.instance, this.pool.available);
      for (const run of claimed) this.pool.start(run, asked);
      // A claim takes only one run of each job. Fewer runs than slots do not mean that no run is left; none does.
      if (!claimed.length) return;
    }
  }

  /** Queues runs for a batch of due jobs. Returns whether more may be due: the next cycle takes them, after starting runs. */
  private async dispatch(): Promise<boolean> {
    const { now, more } = await this.jobs.dispatch();
    // The clock went back: all waits until the next ticks are wrong.
    if (now < this.lastDispatchAt) this.changed = 'all';
    this.lastDispatchAt = now;
    return more;
  }

  /** Sets the timers of jobs that changed, and of those whose timers have fired. */
  private async setTimers(): Promise<void> {
    const fired = this.timers.takeFired();
    const changed = this.changed;
    this.changed = new Set();
    if (changed !== 'all' && !changed.size && !fired.length) return;
    const asked = changed === 'all' ? null : [...new Set([...changed, ...fired])];
    const { jobs, unschedulable, gone } = await this.jobs.delays(asked);
    for (const id of gone) this.pool.drop(id);
    this.timers.set(asked ?? this.timers.ids(), jobs, () => this.requestCycle());
    for (const job of unschedulable) this.report(job);
  }

  /** Logs a job that can't be scheduled, once for each schedule. */
  private report({ id, schedule, timezone }: UnschedulableJob): void {
    const key = `${id} ${schedule} ${timezone}`;
    if (this.reported.has(key)) return;
    this.reported.add(key);
    this.log.warn({ schedule, timezone }, 'a cron job has a schedule that can’t be read or never comes');
  }
}
