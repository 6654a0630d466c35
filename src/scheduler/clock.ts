/**
 * The clock that decides which jobs are due: the database's, so that all instances agree. Tests replace it with one that
 * they can stop, move and speed up. Leases and time limits always use real time.
 */
export interface Clock {
  /** An SQL expression for the current time, evaluated once per statement. */
  readonly now: string;
  /** Milliseconds that pass on this clock in one real millisecond. */
  readonly rate: number;
}

/** Real time. The SELECT makes it a constant for the planner, which can then use an index. */
export const DATABASE_CLOCK: Clock = { now: '(SELECT clock_timestamp())', rate: 1 };
