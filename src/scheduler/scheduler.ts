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
import { JobFigures } from './job-figures.js';
import { JobStore, type LostJob } from './job-store.js';
import { JobTimers } from './job-timers.js';
import { CHANNEL, parseMessage } from './messages.js';
import { RunPool } from './run-pool.js';
import { RunStore } from './run-store.js';
import { SchedulerSettings } from './scheduler-settings.js';
import { watchStrayErrors } from './stray-errors.js';

const AFTER_FAILURE_MS = 1000;
/** How long runs are begun one after the other, before there is a look at what else has come up. */
const BEGIN_MS = 200;

/**
 * Runs jobs on this instance. One loop looks after everything, whoever wakes it: a job's timer, a message from another
 * instance, a run that ended, or the sweep that makes up for whatever was missed. It never runs twice at a time.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly instance = randomUUID();
  private readonly pool: RunPool;
  /** Jobs whose timers must be set anew; `all` after a start or a break. */
  private changed: Set<string> | 'all' = 'all';
  private readonly reported = new Set<string>();
  private listener: Listener | null = null;
  private looking: Promise<void> | null = null;
  private again = false;
  private failing = false;
  private stopping = false;
  private lastNow = '';
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
    figures: JobFigures,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {
    this.pool = new RunPool(this.instance, runs, handlers, settings, log, figures, () => this.wake());
  }

  onApplicationBootstrap(): void {
    if (this.settings.concurrency === 0) return;
    this.unwatch = watchStrayErrors(this.log);
    this.listener = this.listeners.make({
      channel: CHANNEL,
      message: (payload) => this.hear(payload),
      connected: () => {
        this.changed = 'all';
        this.wake();
      },
    });
    this.listener.start();
    this.wake();
  }

  /** Takes no more runs, and sees those under way to their end, or gives them back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    if (this.timer) clearTimeout(this.timer);
    this.timers.clear();
    await this.listener?.close();
    await this.looking;
    await this.pool.stop();
    await this.connection.close();
    this.unwatch();
  }

  private hear(payload: string): void {
    const message = parseMessage(payload);
    if (message === null) return;
    if (message !== 'runs' && this.changed !== 'all') this.changed.add(message.job);
    this.wake();
  }

  /** Looks now, or once more when it is looking already. */
  private wake(): void {
    if (this.stopping) return;
    this.again = true;
    this.looking ??= this.look().finally(() => {
      this.looking = null;
      if (this.again) this.wake(); // by whoever came after the last look
    });
  }

  private async look(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    let pause = this.settings.sweep;
    try {
      while (this.again && !this.stopping) {
        await new Promise(setImmediate); // what wakes at the same moment is looked at together
        this.again = false;
        pause = await this.round();
      }
      if (this.failing) this.log.info('the scheduler works again');
      this.failing = false;
    } catch (error) {
      this.again = false;
      if (!this.failing) this.log.warn({ err: error }, 'the scheduler can’t work now; trying again');
      this.failing = true;
      this.changed = 'all';
      pause = AFTER_FAILURE_MS;
    }
    if (!this.stopping) this.timer = setTimeout(() => this.wake(), pause);
  }

  /** Everything that there is to do now; answers how long nothing will be, unless somebody wakes us. */
  private async round(): Promise<number> {
    const more = await this.dispatch();
    await this.setTimers();
    await this.runs.takeOver(this.instance, this.pool.ids());
    await this.begin();
    if (more) this.again = true;
    const next = this.pool.room > 0 && !this.again ? await this.runs.nextDue() : null;
    return Math.min(this.settings.sweep, next ?? this.settings.sweep);
  }

  /** Begins runs while there is room and something to do; for a while, or else a backlog would hold up all the rest. */
  private async begin(): Promise<void> {
    const end = performance.now() + BEGIN_MS;
    while (this.pool.room > 0 && !this.stopping) {
      const asked = performance.now();
      if (asked > end) {
        this.again = true;
        return;
      }
      const claimed = await this.runs.claim(this.instance, this.pool.room);
      for (const run of claimed) this.pool.start(run, asked);
      // Fewer than asked for may also mean several runs of one job: then only none at all says that nothing is left.
      if (!claimed.length) return;
    }
  }

  /** Queues a batch of what is due; answers whether there may be more, for the next round: runs begin in between. */
  private async dispatch(): Promise<boolean> {
    const { now, more } = await this.jobs.dispatch();
    // A clock that went back: the next ticks are nearer than it was thought.
    if (now < this.lastNow) this.changed = 'all';
    this.lastNow = now;
    return more;
  }

  /** Timers for the jobs that changed, and for those whose timers have rung. */
  private async setTimers(): Promise<void> {
    const rung = this.timers.takeRung();
    const changed = this.changed;
    this.changed = new Set();
    if (changed !== 'all' && !changed.size && !rung.length) return;
    const asked = changed === 'all' ? null : [...new Set([...changed, ...rung])];
    const { jobs, lost, gone } = await this.jobs.waits(asked);
    for (const id of gone) this.pool.drop(id);
    this.timers.set(asked ?? this.timers.ids(), jobs, () => this.wake());
    for (const job of lost) this.report(job);
  }

  /** Once for each such job and schedule: it is not new at the next look. */
  private report({ id, schedule, timezone }: LostJob): void {
    const key = `${id} ${schedule} ${timezone}`;
    if (this.reported.has(key)) return;
    this.reported.add(key);
    this.log.warn({ schedule, timezone }, 'a cron job has a schedule that can’t be read or never comes');
  }
}
