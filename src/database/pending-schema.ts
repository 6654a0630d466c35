import type { DataSource } from 'typeorm';
import { registeredKinds } from '../record/schema/kind.js';
import { countedTables } from '../record/sql/kind-sql.js';
import { rowCounting } from '../record/schema/table.js';
import type { SchemaChange } from './schema-change.js';
import { pendingSearch } from './text-columns.js';

/**
 * The differences between the database and the declared kinds: TypeORM's own comparison, plus search columns and maintained
 * totals, which TypeORM can't express. Empty if there are none. Changes nothing.
 */
export async function pendingSchema(dataSource: DataSource): Promise<SchemaChange> {
  const search = await pendingSearch(dataSource);
  const { text, values } = countedTables();
  const tables = await dataSource.query<{ path: string }[]>(text, [...values]);
  const counted = new Set(tables.map(({ path }) => path));
  const uncounted = registeredKinds()
    .filter((kind) => !counted.has(kind.path))
    .flatMap((kind) => rowCounting(kind) ?? []);

  const builder = dataSource.driver.createSchemaBuilder();
  // TypeORM takes a column that it doesn't know, as that for search, for the old name of a new one: renames are declared.
  Object.assign(builder, { renameColumns: () => Promise.resolve() });
  const { upQueries, downQueries } = await builder.log();
  const kept = new Set([...search.known, ...(await foreignIndexes(dataSource))]);
  const schema = `"${await currentSchema(dataSource)}".`;
  // Without the schema's name, which some of TypeORM's statements have: they are run wherever the service's tables are.
  const bare = ({ query }: { query: string }) => query.replaceAll(schema, '');
  // TypeORM sees these columns and indexes in the database and in no entity: it would drop them, and bring them back as others.
  const isOurs = (query: string) =>
    query.includes('"typeorm_metadata"') || [...kept].some((name) => query.includes(`"${name}"`));
  const up = upQueries.map(bare).filter((query) => !isOurs(query));
  const down = downQueries.map(bare).filter((query) => !isOurs(query));
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

async function currentSchema(dataSource: DataSource): Promise<string> {
  const [row] = await dataSource.query<{ name: string }[]>('SELECT current_schema() AS name');
  return row?.name ?? 'public';
}

/** Name, table and definition of an index that there is. */
interface ExistingIndex {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

function existingIndexes(dataSource: DataSource): Promise<ExistingIndex[]> {
  return dataSource.query<ExistingIndex[]>(
    `SELECT indexname AS name, tablename AS "table", replace(indexdef, ' ON ' || quote_ident(schemaname) || '.', ' ON ') AS definition FROM pg_indexes WHERE schemaname = current_schema()`,
  );
}

/** Whether an index has a name that only declarations give: `ix_` or `uq_`, the table and one of its columns; `tg_` and the table. */
function isNamedByUs(dataSource: DataSource, { name, table }: ExistingIndex): boolean {
  const [, token] = /^(?:ix|uq|tg)_(.*)$/.exec(name) ?? [];
  if (!token?.startsWith(`${table}_`)) return false;
  if (name.startsWith('tg_')) return true;
  const column = token.slice(table.length + 1);
  const entity = dataSource.entityMetadatas.find((one) => one.tableName === table);
  return entity?.columns.some((one) => one.databaseName === column) ?? false;
}

/** Manually created indexes, without a declaration or a name that declarations give. They stay. */
async function foreignIndexes(dataSource: DataSource): Promise<string[]> {
  const declared = new Set(
    dataSource.entityMetadatas.flatMap(({ indices }) => indices.map(({ name }) => name)),
  );
  const all = await existingIndexes(dataSource);
  return all
    .filter((one) => !declared.has(one.name) && !isNamedByUs(dataSource, one))
    .map(({ name }) => name);
}
