import type { Clock } from '../../src/scheduler/clock.js';
import { sql } from './database.js';

/** The clock of tests: it stands in the database, so that all instances share it, and stands still until it is moved. */
export const TEST_CLOCK: Clock = { now: '(SELECT testing.now())', rate: 1 };

/** Puts the clock, and a table for handlers to report to, into a database; in a schema that no fixture empties. */
export async function installClock(url: string, at: string): Promise<void> {
  await sql(
    url,
    `CREATE SCHEMA IF NOT EXISTS testing;
     CREATE TABLE IF NOT EXISTS testing.clock (at timestamptz NOT NULL, since timestamptz NOT NULL, rate float8 NOT NULL);
     CREATE TABLE IF NOT EXISTS testing.calls (
       id bigint GENERATED ALWAYS AS IDENTITY, handler text, event text, tick timestamptz, attempt int, pid int, mark text, at timestamptz DEFAULT clock_timestamp());
     CREATE OR REPLACE FUNCTION testing.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
       'SELECT at + (clock_timestamp() - since) * rate FROM testing.clock';
     DELETE FROM testing.clock;
     INSERT INTO testing.clock VALUES ('${at}', clock_timestamp(), 0)`,
  );
}

/** What runs a statement on the database. */
interface Runner {
  sql(text: string): Promise<unknown>;
}

/** Moves the clock to an instant, or on by an interval such as `1 minute`, and wakes all instances. */
export async function moveClock(runner: Runner, move: { to: string } | { by: string }): Promise<void> {
  const at = 'to' in move ? `'${move.to}'` : `testing.now() + interval '${move.by}'`;
  await runner.sql(
    `UPDATE testing.clock SET at = ${at}, since = clock_timestamp(); SELECT pg_notify('kindred_cron', 'runs')`,
  );
}

/** Waits until `look` finds something; fails with `what` after a while. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false>,
  ms = 15_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
