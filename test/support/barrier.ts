import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { TestService } from './service.js';

/** The transactions that the service has open at once for one caller and one table (src/common/fair-slots.ts). */
const POOL = 9;
const PATIENCE_MS = 120_000;

/**
 * Starts all calls while a table is locked against writers (readers pass), waits until as many as can be are blocked on a
 * lock, and lets go: they meet inside their transactions, whatever the machine's speed.
 * @param options `waiting`: how many must be blocked, when some calls never come as far as the lock; `meanwhile`: what
 *   happens while they are
 */
export async function atOnce<T>(
  service: TestService,
  table: string,
  calls: readonly (() => Promise<T>)[],
  options: { waiting?: number; meanwhile?: () => Promise<void> } = {},
): Promise<T[]> {
  const { waiting = Math.min(calls.length, POOL), meanwhile } = options;
  const holder = new Client({ connectionString: service.databaseUrl });
  await holder.connect();
  let running: Promise<T>[] = [];
  try {
    await holder.query('BEGIN');
    await holder.query(`LOCK TABLE "${table}" IN EXCLUSIVE MODE`);
    running = calls.map((call) => call());
    await blocked(service, waiting);
    await meanwhile?.();
  } finally {
    await holder.end();
    await Promise.allSettled(running);
  }
  return Promise.all(running);
}

/**
 * Starts two calls while a table is locked against writers, so that both have read what they will change, and lets the
 * second one on when the first is stored: its statement meets what it could not know.
 */
export async function oneAfterTheOther<T>(
  service: TestService,
  table: string,
  [first, second]: readonly [() => Promise<T>, () => Promise<T>],
): Promise<[T, T]> {
  const [before, between] = [0, 1].map(() => new Client({ connectionString: service.databaseUrl }));
  if (!before || !between) throw new Error('Two connections are needed.');
  await before.connect();
  await between.connect();
  const running: Promise<unknown>[] = [];
  const started = async (work: Promise<unknown>): Promise<void> => {
    running.push(work);
    await blocked(service, running.length);
  };
  try {
    // PostgreSQL gives a lock to those who wait for it in the order in which they came.
    const lock = `LOCK TABLE "${table}" IN EXCLUSIVE MODE`;
    await before.query(`BEGIN; ${lock}`);
    const earlier = first();
    await started(earlier);
    const pause = between.query(`BEGIN; ${lock}`);
    await started(pause);
    const later = second();
    await started(later);
    await before.query('COMMIT');
    await Promise.all([earlier, pause]);
    await between.query('COMMIT');
    return [await earlier, await later];
  } finally {
    await before.end();
    await between.end();
    await Promise.allSettled(running);
  }
}

/** Waits until that many of the service’s connections wait for a lock. */
export async function blocked(service: TestService, waiting: number): Promise<void> {
  const text =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(5)) {
    const [row] = await service.sql<{ n: number }>(text);
    if ((row?.n ?? 0) >= waiting) return;
    if (Date.now() > end) throw new Error(`Only ${row?.n ?? 0} of ${waiting} requests reached the lock.`);
  }
}
