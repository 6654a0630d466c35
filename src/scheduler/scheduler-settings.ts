import { type Clock, DATABASE_CLOCK } from './clock.js';

/** Settings of the scheduler, in milliseconds. Some come from the environment; only tests set the others. */
export class SchedulerSettings {
  /** How many runs this instance executes at the same time; 0: it runs no jobs. */
  readonly concurrency: number = 10;
  /** The time limit of one try. */
  readonly runLimit: number = 600_000;
  /** How long a run stays claimed without a heartbeat. Longer than any pause of a healthy process. */
  readonly lease: number = 30_000;
  /** How often a lease is extended. */
  readonly heartbeat: number = 10_000;
  /** How often an instance checks for work that no timer or notification announced. */
  readonly pollInterval: number = 5_000;
  /** How long a stop waits for runs before it gives them back. */
  readonly stopGrace: number = 20_000;
  readonly clock: Clock = DATABASE_CLOCK;

  constructor(changes: Partial<SchedulerSettings> = {}) {
    Object.assign(this, changes);
  }
}
