import { type Clock, DATABASE_CLOCK } from './clock.js';

/** Settings of the scheduler, in milliseconds: some from the environment, the others options only for tests' sake. */
export class SchedulerSettings {
  /** Runs at the same time on this instance; 0: it runs no jobs at all. */
  readonly concurrency: number = 10;
  /** Longest that one try may take. */
  readonly runLimit: number = 600_000;
  /** How long an instance that says nothing keeps a run. Longer than any pause of a healthy process. */
  readonly lease: number = 30_000;
  /** How often a lease is extended. */
  readonly heartbeat: number = 10_000;
  /** How often an instance looks for what no timer and no message told it. */
  readonly sweep: number = 5_000;
  /** How long a stop waits for runs before it gives them back. */
  readonly stopGrace: number = 20_000;
  readonly clock: Clock = DATABASE_CLOCK;

  constructor(changes: Partial<SchedulerSettings> = {}) {
    Object.assign(this, changes);
  }
}
