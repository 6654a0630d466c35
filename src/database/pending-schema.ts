import type { DataSource } from 'typeorm';
import { registeredKinds } from '../record/kind.js';
import { countedTables } from '../record/kind-sql.js';
import { rowCounting } from '../record/table.js';
import { pendingSearch } from './text-columns.js';

export interface SchemaChange {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/**
 * What the database lacks to agree with the declared kinds: TypeORM's own comparison, and what search needs and row
 * counts, which TypeORM can't express. Empty when they agree. Changes nothing.
 */
export async function pendingSchema(dataSource: DataSource): Promise<SchemaChange> {
  const search = await pendingSearch(dataSource);
  const { text, values } = countedTables();
  const tables = await dataSource.query<{ path: string }[]>(text, [...values]);
  const counted = new Set(tables.map(({ path }) => path));
  const uncounted = registeredKinds()
    .filter((kind) => !counted.has(kind.path))
    .flatMap((kind) => rowCounting(kind) ?? []);

  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
  // TypeORM sees these columns and indexes in the database and in no entity: it would drop them, and bring them back as others.
  const isOurs = (query: string) =>
    query.includes('"typeorm_metadata"') || [...search.known].some((name) => query.includes(`"${name}"`));
  const up = upQueries.map((one) => one.query).filter((query) => !isOurs(query));
  const down = downQueries.map((one) => one.query).filter((query) => !isOurs(query));
  return {
    up: [...search.first.up, ...up, ...search.last.up, ...uncounted.map((one) => one.up)],
    down: [
      ...uncounted.map((one) => one.down).reverse(),
      ...search.last.down,
      ...down.reverse(),
      ...search.first.down,
    ],
  };
}
