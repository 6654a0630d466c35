import type { DataSource } from 'typeorm';
import { registeredKinds } from '../record/kind.js';
import { countedTables } from '../record/kind-sql.js';
import { rowCounting, trigramIndexes } from '../record/table.js';

export interface SchemaChange {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/**
 * What the database lacks to agree with the declared kinds: TypeORM's own comparison, and the trigram indexes and row
 * counts, which TypeORM can't express. Empty when they agree. Changes nothing.
 */
export async function pendingSchema(dataSource: DataSource): Promise<SchemaChange> {
  const known = await existingTrigramIndexes(dataSource);
  const wanted = registeredKinds().flatMap((kind) => trigramIndexes(kind));
  const missing = wanted.filter((index) => !known.has(index.name));
  const names = new Set([...wanted.map((index) => index.name), ...known.keys()]);
  const obsolete = [...known].filter(([name]) => !wanted.some((index) => index.name === name));
  const extension = missing.length && !known.size ? ['CREATE EXTENSION IF NOT EXISTS pg_trgm'] : [];

  const { text, values } = countedTables();
  const tables = await dataSource.query<{ path: string }[]>(text, [...values]);
  const counted = new Set(tables.map(({ path }) => path));
  const uncounted = registeredKinds()
    .filter((kind) => !counted.has(kind.path))
    .flatMap((kind) => rowCounting(kind) ?? []);

  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
  // TypeORM sees these indexes in the database and in no entity: it would drop them, and bring them back as others.
  const isOurs = (query: string) => [...names].some((name) => query.includes(`"${name}"`));
  const up = upQueries.map((one) => one.query).filter((query) => !isOurs(query));
  const down = downQueries.map((one) => one.query).filter((query) => !isOurs(query));
  return {
    up: [
      ...extension,
      ...obsolete.map(([name]) => `DROP INDEX "${name}"`),
      ...up,
      ...[...missing, ...uncounted].map((one) => one.up),
    ],
    down: [
      ...[...missing, ...uncounted].map((one) => one.down).reverse(),
      ...down.reverse(),
      ...obsolete.map(([, definition]) => definition),
    ],
  };
}

/** Name → definition of the trigram indexes that there are. */
async function existingTrigramIndexes(dataSource: DataSource): Promise<Map<string, string>> {
  const text = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexdef LIKE '%gin_trgm_ops%'`;
  const rows = await dataSource.query<{ indexname: string; indexdef: string }[]>(text);
  return new Map(rows.map((row) => [row.indexname, row.indexdef]));
}
