import type { QueryRunner } from 'typeorm';

const CREATE = /^CREATE (UNIQUE )?INDEX "((?:[^"]|"")+)" ON /;

/**
 * Builds an index concurrently, while others read and write the table. For migrations without a transaction (`readonly
 * transaction = false`). An unfinished index of an earlier try is dropped and built again; a finished one stays, so that an
 * interrupted migration can run again.
 * @param statement `CREATE INDEX "name" ON …` or `CREATE UNIQUE INDEX "name" ON …`
 */
export async function buildIndex(runner: QueryRunner, statement: string): Promise<void> {
  const [start, unique = '', quoted = ''] = CREATE.exec(statement) ?? [];
  if (start === undefined) throw new Error(`buildIndex takes CREATE INDEX "name" ON …, not: ${statement}`);
  const found = (await runner.query(
    `SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`,
    [quoted.replaceAll('""', '"')],
  )) as { valid: boolean }[];
  const [index] = found;
  if (index?.valid) return;
  // It waits for active transactions without blocking others, so it may wait long.
  await runner.query('SET lock_timeout = 0');
  try {
    if (index) await runner.query(`DROP INDEX CONCURRENTLY "${quoted}"`);
    await runner.query(`CREATE ${unique}INDEX CONCURRENTLY "${quoted}" ON ${statement.slice(start.length)}`);
  } finally {
    await runner.query('RESET lock_timeout');
  }
}

/** The counterpart of {@link buildIndex}, for `down`. */
export async function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  await runner.query('SET lock_timeout = 0');
  try {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name.replaceAll('"', '""')}"`);
  } finally {
    await runner.query('RESET lock_timeout');
  }
}
