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

/** Callers choose which props a body holds, so writes of a kind are not prepared without end. */
const MAX_WRITES_KEPT = 100;

/** The same for the conditions of lists. */
const MAX_LISTS_KEPT = 100;

/** How many rows an INSERT has that is prepared: the others would take the places of what comes more often. */
const PREPARED_ROWS = new Set([1, 2, 3, 4, 8]);

/** A change of a row, unless its `updatedAt` is no longer `version`. */
export interface RowChange {
  readonly id: string;
  readonly version: unknown;
  /** Column → value. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** Bytes of a value that no page can have enough of to be large. */
const SMALL = 4096;
/** A code point in UTF-8 has this many bytes at most. */
const CODE_POINT = 4;
/** Nobody can send a larger JSON value than a body (BODY_LIMIT); beyond it a page would have to have many. */
const MAX_JSON = 1024 * 1024;
/** What a stored JSON value has at most before PostgreSQL compresses it, and its stored size says little. */
const COMPRESSED = 1024;

/** Collects the values of a statement while its text is written. */
export class Params {
  readonly values: unknown[] = [];

  /** The placeholder of one more value. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/**
 * The SQL of one kind, from its declaration. Its clauses are written at start, lists and writes when they are first needed;
 * many of these are kept. The record's own table is `t`; where ownership is inherited over more than one step, the parents
 * on the way are joined, so that a row always carries what decides who owns it. Names come from declarations alone; every
 * value is a parameter.
 */
export class KindSql {
  /** The columns of stored props, in order of declaration. */
  readonly columns: readonly string[];
  /** What the table must have: columns and, of texts, their collations; null: any. */
  readonly needs: ReadonlyMap<string, string | null>;
  /** `FROM` clause with the parents that groups need. */
  readonly from: string;
  /** Select list that makes a Row. */
  readonly select: string;
  /** Whether a row holds more than the table's own columns, so that RETURNING can't give it whole. */
  readonly hasFarColumns: boolean;
  /** Bytes that the texts of one row may have at most. */
  readonly maxBytes: number;
  private readonly returning: string;
  /** SQL of the bytes that the texts of a row have. PostgreSQL knows the length of a long text without reading it. */
  private readonly bytes: string;
  private readonly table: string;
  /** What the names of prepared statements end in: a connection serves all versions of the API. */
  private readonly tag: string;
  /** Column → type of an array's element: of the props of the table, whichever version has them, and folded columns. */
  private readonly types: ReadonlyMap<string, string>;
  /** Columns whose change PostgreSQL locks like a deletion: those of unique indexes, to which foreign keys could lead. */
  private readonly keyColumns: ReadonlySet<string>;
  private readonly lists = new Map<string, string>();
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
    const own = this.columns.map((name) => `t.${quote(name)}`);
    this.select = [...own, ...far.map((rule) => `${this.ruleColumn(rule)} AS ${quote(rule.key)}`)].join(', ');
    this.returning = this.columns.map(quote).join(', ');
    const large = kind.columns.filter((prop) => maxBytesOf(prop) > SMALL);
    this.maxBytes = large.reduce((sum, prop) => sum + maxBytesOf(prop), 0);
    this.bytes = ['0', ...large.map(bytesOf)].join(' + ');
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
   * The rows for which a list's conditions, order and window stand in `tail`. One and the same string for equal tails,
   * as far as they are kept: it is compared and looked up on the way to PostgreSQL.
   */
  rows(tail: string): string {
    const kept = this.lists.get(tail);
    if (kept !== undefined) return kept;
    const text = `SELECT ${this.select} FROM ${this.from}${tail}`;
    if (this.lists.size < MAX_LISTS_KEPT) this.lists.set(tail, text);
    return text;
  }

  byIds(ids: readonly string[]): ReadStatement {
    const text = `SELECT ${this.select} FROM ${this.from} WHERE t.id = ANY($1::bigint[])`;
    return { name: `get_${this.tag}`, text, values: [ids], table: this.table };
  }

  /** How large rows are, as `id` and `bytes`; the conditions, order and window of a list stand in `tail`. */
  sizes(tail: string): string {
    return `SELECT t.id, ${this.bytes} AS bytes FROM ${this.from}${tail}`;
  }

  /** One row, locked against other writers (`UPDATE`) or only against deletion (`KEY SHARE`). */
  lock(id: string, mode: LockMode): Statement {
    const text = `SELECT ${this.select} FROM ${this.from} WHERE t.id = $1 FOR ${mode} OF t`;
    return { name: `lock_${LOCK_NAMES[mode]}_${this.tag}`, text, values: [id] };
  }

  /** One statement for new rows, which have values for the same columns in the same order. Their ids rise in the rows' order. */
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

  /** Sets the given columns and those that every change moves. */
  update(id: string, values: ReadonlyMap<string, unknown>): Statement {
    const names = [...values.keys()];
    const write = this.written(`update ${names.join()}`, () => {
      const sets = this.sets(names, (i) => `$${i + 2}`);
      return `UPDATE "${this.table}" SET ${sets} WHERE id = $1 RETURNING ${this.returning}`;
    });
    return { ...write, values: [id, ...values.values()] };
  }

  /**
   * The same for different rows, which change the same columns. Left out are those that are not as they were and those
   * that another transaction has locked: a statement that waited for one row's lock would make all others wait, and two
   * such statements each other. It takes the lock that PostgreSQL will want for these columns, so that the change itself
   * does not wait; for a unique value that another transaction is storing it still does.
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

  /** Whether {@link updateAll} knows the types of all columns of a change; a service may have added others. */
  knows(columns: Iterable<string>): boolean {
    return [...columns].every((column) => this.types.has(column));
  }

  remove(id: string): Statement {
    return { text: `DELETE FROM "${this.table}" WHERE id = $1`, values: [id] };
  }

  /** Which prop a broken constraint of this kind's table speaks of; null when the name is none of ours. */
  propOfConstraint(constraint: string): string | null {
    return this.hasConstraint(constraint)
      ? this.propOfColumn(constraint.slice(constraint.lastIndexOf('_') + 1))
      : null;
  }

  /** Whether a constraint of this kind's table has this name. */
  hasConstraint(constraint: string): boolean {
    return /^(?:uq|fk)_(.+)_[A-Za-z0-9]+$/.exec(constraint)?.[1] === this.table;
  }

  /** Which prop a column holds; null for none. */
  propOfColumn(column: string): string | null {
    return this.kind.byColumn.get(column)?.name ?? null;
  }

  private typeOf(column: string): string {
    const type = this.types.get(column);
    if (type === undefined) throw new Error(`The type of column ${column} of ${this.table} is not known.`);
    return type;
  }

  /** `SET` clause for these columns and those that every change moves. */
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

  /** @param key null: it comes too seldom to be kept */
  private written(key: string | null, write: () => string): { name?: string; text: string } {
    const kept = key === null ? null : this.writes.get(key);
    if (kept) return kept;
    if (key === null || this.writes.size === MAX_WRITES_KEPT) return { text: write() };
    const made = { name: `write_${this.tag}_${this.writes.size}`, text: write() };
    this.writes.set(key, made);
    return made;
  }
}

/** Takes a parent away from all records that name it (`onDelete: 'null'`): a change like any other. */
export function detach(table: string, prop: PropDef, id: string): Statement {
  const column = quote(columnOf(prop));
  return { text: `UPDATE "${table}" SET ${column} = NULL, ${MOVES_ON} WHERE ${column} = $1`, values: [id] };
}

/** The ids of the records that name this one. */
export function idsNaming(table: string, prop: PropDef, id: string): Statement {
  return { text: `SELECT id FROM "${table}" WHERE ${quote(columnOf(prop))} = $1`, values: [id] };
}

/**
 * How a row is locked: before its deletion, before a change, or as the parent of a record that is being stored. The last two
 * don't keep each other out, as a change leaves the row where it is: two records that come to name each other don't wait.
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

/** How many rows the tables of kinds have, as `path` and `count`: the sum of what their writers have added. */
export function maintainedTotals(paths: readonly string[]): ReadStatement {
  const text = `SELECT path, sum("rows") AS count FROM ${ROW_COUNTS.table} WHERE path = ANY($1) GROUP BY path`;
  return { name: 'kept_totals', text, values: [paths], table: ROW_COUNTS.table };
}

/** The tables that keep their number of rows, as `path`. */
export function countedTables(): ReadStatement {
  const text =
    'SELECT c.relname AS path FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid' +
    ' WHERE t.tgname = $1 AND c.relnamespace = current_schema()::regnamespace';
  return { text, values: [ROW_COUNTS.trigger], table: 'pg_trigger' };
}

/** The columns of the tables of kinds, as `path`, `name` and, where it is not the database's own, `collation`. */
export function tableColumns(tables: readonly string[]): ReadStatement {
  const text =
    'SELECT c.relname AS path, a.attname AS name, o.collname AS collation FROM pg_attribute a' +
    ' JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation o ON o.oid = a.attcollation' +
    ' WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1) AND NOT a.attisdropped';
  return { text, values: [tables], table: 'pg_attribute' };
}

/** Quotes a column name. Names come from declarations and services; one that could break out is a fault of the code. */
export function quote(name: string): string {
  if (name.includes('"')) throw new Error(`"${name}" is no column name.`);
  return `"${name}"`;
}

/** The column of a prop and what stands beside it, with their collations. */
function needsOf(prop: PropDef): [column: string, collation: string | null][] {
  const column = columnOf(prop);
  return [
    [column, PROP_TYPES[prop.type].column(prop)?.collation ?? null],
    ...(prop.uniqueCaseInsensitive ? [[foldedColumn(column), BYTES] as [string, string]] : []),
    ...(prop.filterQuery ? [[searchColumn(column), null] as [string, null]] : []),
  ];
}

function maxBytesOf({ type, length = 0 }: PropDef): number {
  return type === 'json' ? MAX_JSON : type === 'string' ? length * CODE_POINT : 0;
}

/** SQL of the bytes that a prop has in a row. */
function bytesOf(prop: PropDef): string {
  const column = `t.${quote(columnOf(prop))}`;
  const bytes =
    prop.type === 'json'
      ? `CASE WHEN pg_column_size(${column}) > ${COMPRESSED} THEN octet_length(${column}::text) ELSE ${COMPRESSED} END`
      : `octet_length(${column})`;
  return `coalesce(${bytes}, 0)`;
}

/** Texts have no length there: a cast would cut off what is too long, where the column refuses it. */
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
