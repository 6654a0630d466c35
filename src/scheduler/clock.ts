/**
 * The time by which jobs are due: the database's, the same for all instances. Tests put another one in its place, which
 * they can stop, move and speed up. Leases and time limits go by real time always.
 */
export interface Clock {
  /** SQL of the present, evaluated once per statement. */
  readonly now: string;
  /** Milliseconds of this time that pass in a real one. */
  readonly rate: number;
}

/** Real time. Wrapped in a SELECT, so that PostgreSQL takes it for a constant and uses an index. */
export const DATABASE_CLOCK: Clock = { now: '(SELECT clock_timestamp())', rate: 1 };
