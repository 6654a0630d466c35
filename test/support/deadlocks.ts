import { setTimeout as sleep } from 'node:timers/promises';
import type { TestService } from './service.js';

/** Deadlocks in the service's database so far; ends all its connections. */
export async function deadlocks(service: TestService): Promise<number> {
  // A connection tells the server's statistics of its deadlocks when it ends at the latest.
  const ended = await service.sql<{ pid: number }>(
    `SELECT pid, pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  const left = 'SELECT 1 FROM pg_stat_activity WHERE pid = ANY($1)';
  while ((await service.sql(left, [ended.map(({ pid }) => pid)])).length) await sleep(20);
  const text = 'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()';
  return (await service.sql<{ count: number }>(text))[0]?.count ?? 0;
}
