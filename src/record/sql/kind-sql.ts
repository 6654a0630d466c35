import type { ReadStatement, Statement } from '../../postgres/statement.js';
import { FIRST_VERSION } from '../../common/api-path.js';
import type { MembershipSource } from '../../common/viewer.js';
import { isMember } from './membership-sql.js';
import { farRules } from '../access/ownership.js';
import type { KindGraph, LinkedKind, GroupRule } from '../schema/kind-graph.js';
import { tableOf } from '../schema/kind.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';
import { foldedColumn, ROW_COUNTS } from '../schema/table.js';
import { BYTES, searchColumn } from '../schema/texts.js';

/** updatedAt rises with every change, even within one millisecond. */
const MOVES_ON = `"updatedAt" = greatest(clock_timestamp(), "updatedAt" + interval '1 millisecond')`;

/** The maximum number of prepared writes of a kind. Callers choose the props of a body, so there could be many. */
const MAX_WRITES_KEPT = 100;

/** The same for the conditions of lists. */
const MAX_LISTS_KEPT = 100;

/** The row counts of prepared INSERTs. Others are rarer and would displace frequent statements. */
const PREPARED_ROWS = new Set([1, 2, 3, 4, 8]);

/** A change of a row, unless its `updatedAt` is no longer `version`. */
export interface RowChange {
  readonly id: string;
  readonly version: unknown;
  /** Column → value. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** Values up to this many bytes can't make a page large. */
const SMALL = 4096;
/** The maximum bytes of a code point in UTF-8. */
const CODE_POINT = 4;
/** The default limit of a body (BODY_LIMIT), and so of a JSON value. */
const MAX_JSON = 1024 * 1024;
/** JSON values above this size may be compressed, so that their stored size says little. */
const COMPRESSED = 1024;

/** What a statement reads of rows. */
export interface Projection {
  /** Select list that makes a Row. */
  readonly select: string;
  /** SQL of the bytes that the long values of a row have. PostgreSQL knows the length of a long text without reading it. */
  readonly bytes: string;
}

/** Collects the values of a statement while its text is written. */
export class Params {
  readonly values: unknown[] = [];

  /** The placeholder of one more value. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/**
 * The SQL of one kind, from its declaration. Its clauses are built at start, lists and writes on first use, with a cache.
 * The record's own table is `t`. If ownership is inherited over several steps, the parents on the way are joined, so that a
 * row always has the columns that decide about ownership. Names come only from declarations; every value is a parameter.
 */
export class KindSql {
  /** The columns of stored props, in order of declaration. */
  readonly columns: readonly string[];
  /** The required columns of the table, with the collations of texts; null for any. */
  readonly needs: ReadonlyMap<string, string | null>;
  /** `FROM` clause with the parents that groups need. */
  readonly from: string;
  /** Select list that makes a Row. */
  readonly select: string;
  /** Whether a row has columns of other tables, which RETURNING can't return. */
  readonly hasFarColumns: boolean;
  /** Everything that a row holds. */
  readonly whole: Projection;
  /** The props with long values, which are all that can make a page large. */
  readonly longProps: readonly PropDef[];
  /** The items of `select`. */
  private readonly selected: readonly string[];
  private readonly returning: string;
  private readonly table: string;
  /** The suffix of prepared statements' names, because a connection serves all versions of the API. */
  private readonly tag: string;
  /** Column → type of an array's element: of the props of the table, whichever version has them, and folded columns. */
  private readonly types: ReadonlyMap<string, string>;
  /** Columns whose change takes the same lock as a deletion: those of unique indexes, which foreign keys could use. */
  private readonly keyColumns: ReadonlySet<string>;
  private readonly lists = new Map<string, string>();
  private readonly projections = new Map<string, Projection>();
  private readonly writes = new Map<string, { name?: string; text: string }>();
  /** Path of parent props → alias of the joined parent. */
  private readonly aliases = new Map<string, string>();

  constructor(
    readonly kind: LinkedKind,
    private readonly graph: KindGraph,
  ) {
    this.columns = kind.columns.map(columnOf);
    const table = tableOf(kind).columns;
    this.needs = new Map(kind.columns.flatMap(needsOf));
    this.types = new Map(table.flatMap(typesOf));
    this.keyColumns = new Set(table.flatMap((prop) => uniqueColumns(prop, table)));
    this.table = kind.table;
    this.tag = graph.version === FIRST_VERSION ? kind.table : `${graph.version}_${kind.table}`;
    const far = farRules(kind);
    this.hasFarColumns = far.length > 0;
    this.from = `"${kind.table}" t${this.parentJoins(far, graph)}`;
    this.selected = [
      ...this.columns.map(ownColumn),
      ...far.map((rule) => `${this.ruleColumn(rule)} AS ${quote(rule.key)}`),
    ];
    this.select = this.selected.join(', ');
    this.returning = this.columns.map(quote).join(', ');
    this.longProps = kind.columns.filter((prop) => maxBytesOf(prop) > SMALL);
    this.whole = { select: this.select, bytes: ['0', ...this.longProps.map(bytesOf)].join(' + ') };
  }

  /** The SQL of the column that a group's rule looks at. */
  ruleColumn(rule: GroupRule): string {
    return `${this.aliases.get(pathOf(rule.hops)) ?? 't'}.${quote(rule.column)}`;
  }

  /** SQL that is true where a user has a membership of the record in a column (membership-sql.ts). */
  isMember({ table }: MembershipSource, user: string, record: string, roles: string | null): string {
    const kind = this.graph.all().find((one) => one.table === table);
    if (!kind) throw new Error(`There is no kind with the table ${table}.`);
    return isMember(kind, user, record, roles);
  }

  /**
   * The statement of a list with the conditions, order and window in `tail`. Cached, so that equal statements are mostly
   * identical strings: they are compared and looked up on the way to PostgreSQL.
   */
  rows(tail: string, { select }: Projection = this.whole): string {
    const key = select === this.select ? tail : `${select}${tail}`;
    const kept = this.lists.get(key);
    if (kept !== undefined) return kept;
    const text = `SELECT ${select} FROM ${this.from}${tail}`;
    if (this.lists.size < MAX_LISTS_KEPT) this.lists.set(key, text);
    return text;
  }

  /**
   * Leaves out the long values that are hidden: they are null, and have no bytes.
   * @param seen SQL that is true on the rows on which a prop is visible
   */
  project(seen: (prop: PropDef) => string): Projection {
    const conditions = new Map(this.longProps.map((prop) => [prop, seen(prop)]));
    const key = [...conditions.values()].join('\n');
    const kept = this.projections.get(key);
    if (kept) return kept;
    const projection = this.projectionOf(conditions);
    if (this.projections.size < MAX_LISTS_KEPT) this.projections.set(key, projection);
    return projection;
  }

  byIds(ids: readonly string[]): ReadStatement {
    const text = `SELECT ${this.select} FROM ${this.from} WHERE t.id = ANY($1::bigint[])`;
    return { name: `get_${this.tag}`, text, values: [ids], table: this.table };
  }

  /** The sizes of a list's rows, as `id` and `bytes`, with the conditions, order and window in `tail`. */
  sizes(tail: string, { bytes }: Projection): string {
    return `SELECT t.id, ${bytes} AS bytes FROM ${this.from}${tail}`;
  }

  /** One row, locked against other writers (`UPDATE`) or only against deletion (`KEY SHARE`). */
  lock(id: string, mode: LockMode): Statement {
    const text = `SELECT ${this.select} FROM ${this.from} WHERE t.id = $1 FOR ${mode} OF t`;
    return { name: `lock_${LOCK_NAMES[mode]}_${this.tag}`, text, values: [id] };
  }

  /** One INSERT for rows with the same columns in the same order. Their ids rise in the order of the rows. */
  insert(rows: readonly ReadonlyMap<string, unknown>[]): Statement {
    const names = [...(rows[0]?.keys() ?? [])];
    const isPrepared = PREPARED_ROWS.has(rows.length);
    const write = this.written(isPrepared ? `insert ${rows.length} ${names.join()}` : null, () => {
      const columns = names.length ? names : ['id'];
      const list = rows.map(
        (_, row) =>
          `(${columns.map((_, i) => (names.length ? `$${row * names.length + i + 1}` : 'DEFAULT')).join(', ')})`,
      );
      return `INSERT INTO "${this.table}" (${columns.map(quote).join(', ')}) VALUES ${list.join(', ')} RETURNING ${this.returning}`;
    });
    return { ...write, values: rows.flatMap((values) => [...values.values()]), table: this.table };
  }

  /** Sets the given columns and those that every change updates. */
  update(id: string, values: ReadonlyMap<string, unknown>): Statement {
    const names = [...values.keys()];
    const write = this.written(`update ${names.join()}`, () => {
      const sets = this.sets(names, (i) => `$${i + 2}`);
      return `UPDATE "${this.table}" SET ${sets} WHERE id = $1 RETURNING ${this.returning}`;
    });
    return { ...write, values: [id, ...values.values()] };
  }

  /**
   * The same for several rows, which change the same columns. Skips rows that have changed meanwhile and rows that another
   * transaction has locked: waiting for one row's lock would delay all others, and two such statements could deadlock. It
   * takes the lock that PostgreSQL needs for these columns, so that the change itself does not wait, except for a unique
   * value that another transaction is storing.
   */
  updateAll(changes: readonly RowChange[]): Statement {
    const names = [...(changes[0]?.values.keys() ?? [])];
    const write = this.written(`update all ${names.join()}`, () => {
      const types = ['bigint', 'timestamptz', ...names.map((name) => this.typeOf(name))];
      const columns = ['id', 'version', ...names.map((_, i) => `c${i}`)];
      const given = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
      const lock = names.some((name) => this.keyColumns.has(name)) ? 'UPDATE' : 'NO KEY UPDATE';
      return (
        `UPDATE "${this.table}" t SET ${this.sets(names, (i) => `v.c${i}`)} FROM (` +
        `WITH _given AS (SELECT * FROM unnest(${given}) AS g(${columns.join(', ')})),` +
        ` _free AS (SELECT f.id FROM _given JOIN "${this.table}" f ON f.id = _given.id` +
        ` AND f."updatedAt" = _given.version FOR ${lock} OF f SKIP LOCKED)` +
        ' SELECT _given.* FROM _free JOIN _given USING (id)) v' +
        ` WHERE t.id = v.id RETURNING ${this.columns.map((name) => `t.${quote(name)}`).join(', ')}`
      );
    });
    const column = (name: string) => changes.map(({ values }) => values.get(name));
    return {
      ...write,
      values: [changes.map(({ id }) => id), changes.map(({ version }) => version), ...names.map(column)],
      table: this.table,
    };
  }

  /** Whether {@link updateAll} knows the types of all columns of a change. A service may have added others. */
  knows(columns: Iterable<string>): boolean {
    return [...columns].every((column) => this.types.has(column));
  }

  remove(id: string): Statement {
    return { text: `DELETE FROM "${this.table}" WHERE id = $1`, values: [id] };
  }

  /** The prop of a violated constraint of this kind's table; null if the name is unknown. */
  propOfConstraint(constraint: string): string | null {
    return this.hasConstraint(constraint)
      ? this.propOfColumn(constraint.slice(constraint.lastIndexOf('_') + 1))
      : null;
  }

  /** Whether a constraint of this kind's table has this name. */
  hasConstraint(constraint: string): boolean {
    return /^(?:uq|fk)_(.+)_[A-Za-z0-9]+$/.exec(constraint)?.[1] === this.table;
  }

  /** The prop of a column; null for none. */
  propOfColumn(column: string): string | null {
    return this.kind.byColumn.get(column)?.name ?? null;
  }

  private projectionOf(conditions: ReadonlyMap<PropDef, string>): Projection {
    const hidden = [...conditions].filter(([, seen]) => seen !== 'true');
    if (!hidden.length) return this.whole;
    const when = (seen: string, sql: string, otherwise: string) =>
      seen === 'false'
        ? otherwise
        : seen === 'true'
          ? sql
          : `CASE WHEN ${seen} THEN ${sql} ELSE ${otherwise} END`;
    const columns = new Map(
      hidden.map(([prop, seen]) => {
        const column = ownColumn(columnOf(prop));
        return [column, `${when(seen, column, 'NULL')} AS ${quote(columnOf(prop))}`];
      }),
    );
    return {
      select: this.selected.map((column) => columns.get(column) ?? column).join(', '),
      bytes: ['0', ...[...conditions].map(([prop, seen]) => when(seen, bytesOf(prop), '0'))].join(' + '),
    };
  }

  private typeOf(column: string): string {
    const type = this.types.get(column);
    if (type === undefined) throw new Error(`The type of column ${column} of ${this.table} is not known.`);
    return type;
  }

  /** The `SET` clause for these columns and those that every change updates. */
  private sets(names: readonly string[], value: (i: number) => string): string {
    // Whichever version of the API has them.
    const auto = tableOf(this.kind).columns.filter(
      (prop) => prop.autoUpdate && !names.includes(columnOf(prop)),
    );
    return [
      ...names.map((name, i) => `${quote(name)} = ${value(i)}`),
      ...auto.map((prop) => `${quote(columnOf(prop))} = clock_timestamp()`),
      MOVES_ON,
    ].join(', ');
  }

  private parentJoins(rules: readonly GroupRule[], graph: KindGraph): string {
    let joins = '';
    for (const { hops } of rules) {
      hops.forEach((hop, i) => {
        const path = pathOf(hops.slice(0, i + 1));
        if (this.aliases.has(path)) return;
        const alias = `o${this.aliases.size}`;
        const below = this.aliases.get(pathOf(hops.slice(0, i))) ?? 't';
        const table = graph.get(hop.relation?.kind ?? '').table;
        this.aliases.set(path, alias);
        joins += ` LEFT JOIN "${table}" ${alias} ON ${alias}.id = ${below}.${quote(columnOf(hop))}`;
      });
    }
    return joins;
  }

  /** @param key null if it is too rare for the cache */
  private written(key: string | null, write: () => string): { name?: string; text: string } {
    const kept = key === null ? null : this.writes.get(key);
    if (kept) return kept;
    if (key === null || this.writes.size === MAX_WRITES_KEPT) return { text: write() };
    const made = { name: `write_${this.tag}_${this.writes.size}`, text: write() };
    this.writes.set(key, made);
    return made;
  }
}

/** Clears the relation of all records that name a parent (`onDelete: 'null'`), as a normal change. */
export function detach(table: string, prop: PropDef, id: string): Statement {
  const column = quote(columnOf(prop));
  return { text: `UPDATE "${table}" SET ${column} = NULL, ${MOVES_ON} WHERE ${column} = $1`, values: [id] };
}

/** The ids of the records that name this one. */
export function idsNaming(table: string, prop: PropDef, id: string): Statement {
  return { text: `SELECT id FROM "${table}" WHERE ${quote(columnOf(prop))} = $1`, values: [id] };
}

/**
 * The lock of a row: for its deletion, for a change, or as the parent of a record that is being stored. The last two do not
 * conflict, so two records that begin to name each other do not deadlock.
 */
export type LockMode = 'UPDATE' | 'NO KEY UPDATE' | 'KEY SHARE';
const LOCK_NAMES: Record<LockMode, string> = { UPDATE: 'u', 'NO KEY UPDATE': 'n', 'KEY SHARE': 's' };

/** Locks rows in the order of their ids. */
export function lockAll(
  table: string,
  ids: readonly string[],
  mode: Exclude<LockMode, 'KEY SHARE'>,
): Statement {
  const text = `SELECT 1 FROM "${table}" WHERE id = ANY($1::bigint[]) ORDER BY id FOR ${mode}`;
  return { text, values: [ids] };
}

/** The maintained totals of kinds, as `path` and `count`: the sums of the counters of their writers. */
export function maintainedTotals(paths: readonly string[]): ReadStatement {
  const text = `SELECT path, sum("rows") AS count FROM ${ROW_COUNTS.table} WHERE path = ANY($1) GROUP BY path`;
  return { name: 'kept_totals', text, values: [paths], table: ROW_COUNTS.table };
}

/** The tables with a maintained total, as `path`. */
export function countedTables(): ReadStatement {
  const text =
    'SELECT c.relname AS path FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid' +
    ' WHERE t.tgname = $1 AND c.relnamespace = current_schema()::regnamespace';
  return { text, values: [ROW_COUNTS.trigger], table: 'pg_trigger' };
}

/** The columns of tables, as `path`, `name` and, if it is not the default, `collation`. */
export function tableColumns(tables: readonly string[]): ReadStatement {
  const text =
    'SELECT c.relname AS path, a.attname AS name, o.collname AS collation FROM pg_attribute a' +
    ' JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation o ON o.oid = a.attcollation' +
    ' WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1) AND NOT a.attisdropped';
  return { text, values: [tables], table: 'pg_attribute' };
}

/** Quotes a column name. Names come from declarations and services, so an invalid one is a bug. */
export function quote(name: string): string {
  if (name.includes('"')) throw new Error(`"${name}" is no column name.`);
  return `"${name}"`;
}

/** The columns of a prop, with their collations. */
function needsOf(prop: PropDef): [column: string, collation: string | null][] {
  const column = columnOf(prop);
  return [
    [column, PROP_TYPES[prop.type].column(prop)?.collation ?? null],
    ...(prop.uniqueCaseInsensitive ? [[foldedColumn(column), BYTES] as [string, string]] : []),
    ...(prop.filterQuery ? [[searchColumn(column), null] as [string, null]] : []),
  ];
}

function ownColumn(name: string): string {
  return `t.${quote(name)}`;
}

/** Bytes that the values of a prop may have at most, as far as they can be long. */
export function maxBytesOf({ type, length = 0 }: PropDef): number {
  return type === 'json' ? MAX_JSON : type === 'string' ? length * CODE_POINT : 0;
}

/** SQL of the bytes of a prop in a row. */
function bytesOf(prop: PropDef): string {
  const column = ownColumn(columnOf(prop));
  const bytes =
    prop.type === 'json'
      ? `CASE WHEN pg_column_size(${column}) > ${COMPRESSED} THEN octet_length(${column}::text) WHEN ${column} IS NOT NULL THEN ${COMPRESSED} END`
      : `octet_length(${column})`;
  return `coalesce(${bytes}, 0)`;
}

/** Types without the length of texts: a cast would cut off long texts, which the column must refuse. */
function typesOf(prop: PropDef): [column: string, type: string][] {
  const type = PROP_TYPES[prop.type].column(prop)?.type;
  if (typeof type !== 'string') return [];
  const own: [string, string][] = [[columnOf(prop), type === 'varchar' ? 'text' : type]];
  return prop.uniqueCaseInsensitive ? [...own, [foldedColumn(columnOf(prop)), 'text']] : own;
}

/** The columns of a prop's unique index (table.ts). */
function uniqueColumns(prop: PropDef, all: readonly PropDef[]): string[] {
  if (!prop.unique) return [];
  const own = columnOf(prop);
  const qualifiers = all.filter(({ name }) => prop.uniqueQualifiers?.includes(name)).map(columnOf);
  return [prop.uniqueCaseInsensitive ? foldedColumn(own) : own, ...qualifiers];
}

function pathOf(hops: readonly PropDef[]): string {
  return hops.map(columnOf).join('.');
}
