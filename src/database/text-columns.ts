import type { DataSource } from 'typeorm';
import { registeredKinds } from '../record/schema/kind.js';
import { columnOf } from '../record/schema/prop.js';
import { searchColumns } from '../record/schema/table.js';
import { FOLD_FUNCTION, type SearchColumn, searchColumnOf } from '../record/schema/texts.js';
import { columnsOf } from './column-changes.js';
import type { ColumnChange, SchemaChange } from './schema-change.js';

/*
 * Properties of texts that TypeORM can't express: their collation (it supports that, but loses the length when it changes),
 * and the columns for keyword search (docs/decisions/0015-texts.md).
 */

/** Text columns with another collation than declared. Their values are normalized too. */
export async function collationChanges(dataSource: DataSource): Promise<ColumnChange[]> {
  const existing = new Map((await columnsOf(dataSource)).map((one) => [`${one.table}.${one.name}`, one]));
  return dataSource.entityMetadatas.flatMap((entity) =>
    entity.columns.flatMap((column): ColumnChange[] => {
      const there = existing.get(`${entity.tableName}.${column.databaseName}`);
      const wanted = column.collation ?? null;
      if (!there || wanted === null || there.collation === wanted) return [];
      if (!['text', 'character varying'].includes(there.type)) return [];
      const { table, name } = there;
      const type = there.type === 'text' ? 'text' : `character varying(${there.length ?? 1})`;
      const alter = (collation: string) =>
        `ALTER TABLE "${table}" ALTER COLUMN "${name}" TYPE ${type} COLLATE "${collation}"`;
      const fill = isWritten(table, name) ? [inOneForm(table, name, there.length, column.isNullable)] : [];
      return [{ up: [...fill, alter(wanted)], down: [alter(there.collation ?? 'default')] }];
    }),
  );
}

/** Whether people write the text. Enums need no normalization. */
function isWritten(table: string, column: string): boolean {
  const kind = registeredKinds().find(({ path }) => path === table);
  return kind?.columns.some((prop) => prop.type === 'string' && columnOf(prop) === column) ?? false;
}

/** Normalizes to NFC, and empty optional texts to null. Texts that would no longer fit stay as they are. */
function inOneForm(table: string, name: string, length: number | null, isNullable: boolean): string {
  const form = `normalize("${name}", NFC)`;
  const fits = length === null ? '' : ` AND char_length(${form}) <= ${length}`;
  const odd = `"${name}" IS NOT NFC NORMALIZED${fits}`;
  return isNullable
    ? `UPDATE "${table}" SET "${name}" = nullif(${form}, '') WHERE "${name}" = '' OR (${odd})`
    : `UPDATE "${table}" SET "${name}" = ${form} WHERE ${odd}`;
}

/** Changes of search columns: what runs before all other changes, what runs after them, and all names. */
export async function pendingSearch(
  dataSource: DataSource,
): Promise<{ first: SchemaChange; last: SchemaChange; known: ReadonlySet<string> }> {
  const columns = await existingSearchColumns(dataSource);
  const indexes = await existingTrigramIndexes(dataSource);
  const wanted = registeredKinds().flatMap(searchColumns);
  const names = new Set(wanted.map(({ index }) => index));
  const isThere = (one: SearchColumn) =>
    columns.some(({ name, table }) => name === one.name && table === one.table);
  const isIndexed = (one: SearchColumn) => isOn(indexes.get(one.index) ?? '', one);

  const noColumn = wanted.filter((one) => !isThere(one));
  const noIndex = wanted.filter((one) => !isThere(one) || !isIndexed(one));
  const tables = new Set(registeredKinds().map(({ path }) => path));
  const oldColumns = columns.filter(
    (one) =>
      tables.has(one.table) && !wanted.some(({ name, table }) => name === one.name && table === one.table),
  );
  // Of texts that are searched no more, and of those that were searched before they were folded.
  const oldIndexes = [...indexes].filter(
    ([name, definition]) =>
      !oldColumns.some((one) => isOn(definition, one)) &&
      (!names.has(name) || noIndex.some(({ index }) => index === name)),
  );
  const extension = noIndex.length && !indexes.size ? ['CREATE EXTENSION IF NOT EXISTS pg_trgm'] : [];
  return {
    known: new Set([...names, ...indexes.keys(), ...[...wanted, ...columns].map(({ name }) => name)]),
    // No column can go or change while another one is made of it.
    first: {
      up: [...oldIndexes.map(([name]) => `DROP INDEX "${name}"`), ...oldColumns.map(({ drop }) => drop)],
      down: [
        ...oldColumns.flatMap(({ add, addIndex }) => [add, addIndex]),
        ...oldIndexes.map(([, definition]) => definition),
      ],
    },
    last: {
      up: [...extension, ...noColumn.map(({ add }) => add), ...noIndex.map(({ addIndex }) => addIndex)],
      down: [
        ...noIndex.filter(isThere).map(({ index }) => `DROP INDEX "${index}"`),
        ...noColumn.map(({ drop }) => drop),
      ],
    },
  };
}

/** Whether an index, by its definition, is on a column; PostgreSQL quotes names that need it. */
function isOn(definition: string, { name }: SearchColumn): boolean {
  return definition.includes(`(${name} `) || definition.includes(`("${name}" `);
}

/** The columns for search that the database has. */
export async function existingSearchColumns(dataSource: DataSource): Promise<SearchColumn[]> {
  const rows = await dataSource.query<{ table: string; name: string }[]>(
    `SELECT c.relname AS "table", a.attname AS name
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = current_schema()::regnamespace AND a.attgenerated = 's' AND NOT a.attisdropped
       AND pg_get_expr(d.adbin, d.adrelid) LIKE '%' || $1 || '(%'`,
    [FOLD_FUNCTION],
  );
  return rows.map(({ table, name }) => searchColumnOf(table, name.replace(/_search$/, '')));
}

/** Name → definition of the trigram indexes of declarations that there are; those that are made by hand stay. */
async function existingTrigramIndexes(dataSource: DataSource): Promise<Map<string, string>> {
  const text = `SELECT indexname, replace(indexdef, ' ON ' || quote_ident(schemaname) || '.', ' ON ') AS indexdef
    FROM pg_indexes WHERE schemaname = current_schema() AND indexdef LIKE '%gin_trgm_ops%' AND indexname LIKE 'tg\\_%'`;
  const rows = await dataSource.query<{ indexname: string; indexdef: string }[]>(text);
  return new Map(rows.map((row) => [row.indexname, row.indexdef]));
}
