import type { DataSource } from 'typeorm';
import { registeredKinds } from '../record/schema/kind.js';
import type { KindDef } from '../record/schema/kind-def.js';
import type { PropDef } from '../record/schema/prop.js';
import { foldedColumn } from '../record/schema/table.js';
import { searchColumn, searchColumnOf } from '../record/schema/texts.js';
import type { ColumnChange, SchemaChange } from './schema-change.js';

/*
 * Changes of columns that keep their values. TypeORM drops and recreates a column whenever its name or its length changes.
 * So these changes run first, and TypeORM finds no difference.
 */

/** A column as it is in the database. */
interface Column {
  readonly table: string;
  readonly name: string;
  /** As in information_schema: `character varying`, `text` … */
  readonly type: string;
  readonly length: number | null;
  /** Null: that of the database. */
  readonly collation: string | null;
  /** The rules of its values (record/schema/table.ts). */
  readonly comment: string | null;
}

/** The columns of the tables in the current schema. */
export async function columnsOf(dataSource: DataSource): Promise<Column[]> {
  return dataSource.query<Column[]>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, character_maximum_length AS length,
       collation_name AS collation,
       col_description((quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass, ordinal_position) AS comment
     FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
  );
}

/** The columns that still have the previous name of their prop, with everything that is named after them. */
export async function renames(dataSource: DataSource): Promise<ColumnChange[]> {
  const columns = new Set((await columnsOf(dataSource)).map(({ table, name }) => `${table}.${name}`));
  const named = await dataSource.query<{ name: string; isIndex: boolean }[]>(
    `SELECT indexname AS name, true AS "isIndex" FROM pg_indexes WHERE schemaname = current_schema()
     UNION ALL SELECT conname, false FROM pg_constraint
       WHERE connamespace = current_schema()::regnamespace AND contype = 'f'`,
  );
  return registeredKinds().flatMap((kind) =>
    kind.props.flatMap((prop): ColumnChange[] => {
      const pairs = renamedColumns(prop).filter(
        ([from, to]) => columns.has(`${kind.path}.${from}`) && !columns.has(`${kind.path}.${to}`),
      );
      return pairs.length ? [rename(kind, prop, pairs, named)] : [];
    }),
  );
}

function renamedColumns({ name, renamedFrom, uniqueCaseInsensitive }: PropDef): [string, string][] {
  if (renamedFrom === undefined) return [];
  const searched: [string, string] = [searchColumn(renamedFrom), searchColumn(name)];
  const folded: [string, string][] = uniqueCaseInsensitive
    ? [[foldedColumn(renamedFrom), foldedColumn(name)]]
    : [];
  return [[renamedFrom, name], ...folded, searched];
}

function rename(
  { path }: KindDef,
  { name, renamedFrom = '' }: PropDef,
  pairs: readonly [string, string][],
  named: readonly { name: string; isIndex: boolean }[],
): SchemaChange {
  const statements = (back: boolean) => {
    const [from, to] = back ? [name, renamedFrom] : [renamedFrom, name];
    const columns = pairs.map(([old, fresh]) => (back ? [fresh, old] : [old, fresh]));
    const others = named.flatMap((one) => {
      const match = /^(ix|uq|tg|fk)_(.+)_([A-Za-z0-9]+)$/.exec(one.name);
      if (match?.[2] !== path || match[3] !== renamedFrom) return [];
      const [old, fresh] = [`${match[1]}_${path}_${from}`, `${match[1]}_${path}_${to}`];
      return one.isIndex
        ? `ALTER INDEX "${old}" RENAME TO "${fresh}"`
        : `ALTER TABLE "${path}" RENAME CONSTRAINT "${old}" TO "${fresh}"`;
    });
    return [
      ...columns.map(([old, fresh]) => `ALTER TABLE "${path}" RENAME COLUMN "${old}" TO "${fresh}"`),
      ...others,
    ];
  };
  return { up: statements(false), down: statements(true).reverse() };
}

/** How to restore a column: its definition, and the indexes and constraints on it. */
interface Definition {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
  readonly dependents: string[];
}

/**
 * The columns that no declaration has any more. TypeORM would treat a removed and an added column as a rename, and the
 * values of one prop would appear in another.
 */
export async function removals(dataSource: DataSource): Promise<ColumnChange[]> {
  const declared = new Map(
    dataSource.entityMetadatas.map((entity) => [
      entity.tableName,
      new Set(entity.columns.map((column) => column.databaseName)),
    ]),
  );
  const folded = new Set(
    registeredKinds().flatMap(({ path, props }) => props.map(({ name }) => `${path}.${foldedColumn(name)}`)),
  );
  const gone = (await definitions(dataSource)).filter(
    ({ table, name }) => !(declared.get(table)?.has(name) ?? true),
  );
  const isSearched = await searchedColumns(dataSource);
  return gone.map(({ table, name, definition, dependents }) => ({
    up: [...isSearched(table, name).drops, `ALTER TABLE "${table}" DROP COLUMN "${name}"`],
    down: [
      `ALTER TABLE "${table}" ADD "${name}" ${definition}`,
      ...dependents,
      ...isSearched(table, name).adds,
    ],
    // A folded text can be made again from the prop itself.
    ...(!folded.has(`${table}.${name}`) && { loss: `drops ${name} of ${table}` }),
  }));
}

/** The search columns to drop before a column can be dropped or change its type, and the statements to restore them. */
async function searchedColumns(dataSource: DataSource) {
  const columns = new Set((await columnsOf(dataSource)).map(({ table, name }) => `${table}.${name}`));
  return (table: string, column: string): { drops: string[]; adds: string[] } => {
    const { name, drop, add, addIndex } = searchColumnOf(table, column);
    return columns.has(`${table}.${name}`)
      ? { drops: [drop], adds: [add, addIndex] }
      : { drops: [], adds: [] };
  };
}

function definitions(dataSource: DataSource): Promise<Definition[]> {
  return dataSource.query<Definition[]>(
    `SELECT c.relname AS "table", a.attname AS name,
       format_type(a.atttypid, a.atttypmod)
         || CASE WHEN a.attcollation <> y.typcollation THEN format(' COLLATE %I', o.collname) ELSE '' END
         || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
         || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS definition,
       ARRAY(
         SELECT replace(pg_get_indexdef(i.indexrelid), ' ON ' || quote_ident(current_schema()) || '.', ' ON ') FROM pg_index i
           WHERE i.indrelid = c.oid AND a.attnum = ANY(i.indkey) AND NOT i.indisprimary
         UNION ALL SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
           FROM pg_constraint k WHERE k.conrelid = c.oid AND a.attnum = ANY(k.conkey) AND k.contype = 'f'
       ) AS dependents
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type y ON y.oid = a.atttypid
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       LEFT JOIN pg_collation o ON o.oid = a.attcollation
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = ''
     ORDER BY c.relname, a.attnum`,
  );
}

/** Texts with a changed length. A shorter one cuts values that do not fit. */
export async function lengthChanges(dataSource: DataSource): Promise<ColumnChange[]> {
  const existing = new Map((await columnsOf(dataSource)).map((one) => [`${one.table}.${one.name}`, one]));
  const isSearched = await searchedColumns(dataSource);
  return dataSource.entityMetadatas.flatMap((entity) =>
    entity.columns.flatMap((column): ColumnChange[] => {
      const there = existing.get(`${entity.tableName}.${column.databaseName}`);
      const wanted = textLength(dataSource.driver.normalizeType(column), Number(column.length) || null);
      const found = there ? textLength(there.type, there.length) : null;
      if (!there || wanted === null || found === null || wanted === found) return [];
      const change = resize(there, found, wanted);
      const { drops, adds } = isSearched(there.table, there.name);
      // The comparison that follows makes it again (pending-schema.ts), and takes that back before this.
      return [{ ...change, up: [...drops, ...change.up], down: [...change.down, ...adds] }];
    }),
  );
}

/** The length of a text column; Infinity for `text`, null for other types. */
function textLength(type: string, length: number | null): number | null {
  if (type === 'text') return Infinity;
  return type === 'character varying' ? (length ?? Infinity) : null;
}

function resize({ table, name, collation }: Column, from: number, to: number): ColumnChange {
  const typeOf = (length: number) => (length === Infinity ? 'text' : `character varying(${length})`);
  const order = collation === null ? '' : ` COLLATE "${collation}"`;
  const alter = (length: number) =>
    `ALTER TABLE "${table}" ALTER COLUMN "${name}" TYPE ${typeOf(length)}${order}`;
  if (to > from) return { up: [alter(to)], down: [alter(from)] };
  const room = from === Infinity ? 'any length' : String(from);
  return {
    up: [`${alter(to)} USING left("${name}", ${to})`],
    down: [alter(from)],
    loss: `shortens ${name} of ${table} from ${room} to ${to} characters`,
  };
}
