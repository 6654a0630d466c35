import { invalid, type Warning } from '../../common/errors.js';
import {
  type AccessScope,
  EVERY_ROW,
  NO_ROW,
  rowScope,
  scopeSql,
  type ScopeSql,
  viewScope,
} from '../access/access.js';
import { denyCompare, listedScope, searchedProps } from '../access/reading.js';
import { fold } from '../schema/formats.js';
import type { Ids } from '../ids/ids.js';
import { type Includes, parseIncludes } from './includes.js';
import { maxRowBytes } from './row-bytes.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { type KindSql, Params, type Projection, quote } from '../sql/kind-sql.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';
import { QueryReader } from './query-reader.js';
import { foldedColumn } from '../schema/table.js';
import { PATTERN_FUNCTION, searchColumn } from '../schema/texts.js';
import type { QueryParams } from '../../http/query.js';
import { keyOfSource, type Viewer } from '../../common/viewer.js';
import type { ReadStatement } from '../../postgres/statement.js';

/** The bounds of a list's parameters, and how often one may be repeated. */
export const LIST_LIMITS = {
  page: { max: 1_000_000, default: 1 },
  itemsPerPage: { max: 100, default: 10 },
  maxItems: { max: 100_000_000_000, default: 100_000_000_000 },
  searchCharacters: 256,
  searches: 5,
  /** As many as the records of a page. */
  values: 100,
} as const;
/** The default sort order of a list. */
export const DEFAULT_SORT = { by: 'createdAt', order: 'asc' } as const;

/** Whether a list can be sorted by a prop, for those who may see it. */
export function isSortable(prop: PropDef): boolean {
  return !prop.writeOnly && PROP_TYPES[prop.type].sortable;
}

/** A statement that reads rows. */
export interface RowsStatement extends ReadStatement {
  /** Whether it is certainly cheap, however large the table is: a few consecutive rows of an index. */
  readonly short: boolean;
  /** For rows that may be too large together: the statement that reads their sizes first. It has the ones that read the rows. */
  readonly sizes: PageSizes | null;
}

/** The statement of a page. */
export interface PageStatement extends RowsStatement {
  /** The same page, restricted to known matching rows. */
  readonly ofCandidates: (ids: readonly string[]) => RowsStatement;
}

/** Reads which rows a page has and how large they are, as far as the viewer sees them. */
export interface PageSizes extends ReadStatement {
  /** The statement of these rows. */
  readonly of: (ids: readonly string[]) => ReadStatement;
  /** For a page that is cheap to find: a text that returns its rows, or none if they are too large together. */
  readonly guarded: string | null;
}

/** The maximum number of candidates. */
const MAX_CANDIDATES = 500;

/** Finds the ids of all matching rows, which are used if there are few. */
export interface CandidateStatement extends ReadStatement {
  /** Returns one id more than this if there are more. */
  readonly most: number;
}

/** A parsed list request: its statements and paging. */
export interface ListPlan {
  readonly page: number;
  readonly itemsPerPage: number;
  readonly maxItems: number;
  /** Rows of this page; null when `maxItems` leaves none for it. */
  readonly rows: PageStatement | null;
  /** One row with the exact number of matching rows, as `count`; `maintained` when that is all rows of the kind. */
  readonly total: ReadStatement | 'maintained';
  /** For a search: finds the ids of all matching rows. There are mostly few, and searching twice would be expensive. */
  readonly candidates: CandidateStatement | null;
  readonly includes: Includes;
  readonly warnings: readonly Warning[];
}

/** The context of statements that read rows. */
export interface RowsContext {
  readonly kind: LinkedKind;
  readonly viewer: Viewer;
  readonly sql: KindSql;
  readonly ids: Ids;
  /** Ids of rows that are being deleted and must not be seen; null for none. */
  readonly closed: readonly string[] | null;
  /** Pages that may have more bytes than this are checked first. */
  readonly pageBytes: number;
  /** For a child list: only rows whose `prop` holds this row id. */
  readonly parent?: { readonly prop: PropDef; readonly id: string };
}

/** The context of a list query. */
export interface ListContext extends RowsContext {
  readonly extras: ReadonlyMap<string, unknown>;
}

/**
 * Query string + kind + viewer → statements. What the viewer can't see has no effect: a qualifier or range on a prop that
 * only owners see compares only owned rows, search compares each prop only where it is visible, and hidden values sort as
 * if they were null.
 * @throws ApiError 442 (parameter), 403 (a prop that this viewer can never see)
 */
export function planList(query: QueryParams, context: ListContext): ListPlan {
  const reader = new QueryReader(query);
  const bounded = (name: 'page' | 'itemsPerPage' | 'maxItems') =>
    reader.integer(name, LIST_LIMITS[name].max, LIST_LIMITS[name].default);
  const page = bounded('page');
  const itemsPerPage = bounded('itemsPerPage');
  const maxItems = bounded('maxItems');
  const includes = parseIncludes(reader, context.kind, context.extras);
  const where = new Where(context);
  const warnings = where.read(reader);
  const order = orderBy(reader, where);
  warnings.push(...reader.unknown());

  const offset = (page - 1) * itemsPerPage;
  const limit = Math.min(itemsPerPage, maxItems - offset);
  const total = where.isEmpty() ? 'maintained' : where.count();
  const candidates = where.searches ? where.candidates() : null;
  const rows = limit < 1 ? null : pageOf(where, order, limit, offset);
  return { page, itemsPerPage, maxItems, rows, total, candidates, includes, warnings };
}

/**
 * From this offset on, the ids of a page are found first, in the index alone, and then its rows. The ids are an array,
 * which PostgreSQL computes once. It might compute a join for every row if it assumes that the table is empty, as
 * statistics gathered before a large import was committed say.
 */
const DEEP = 1000;
/** The most characters that the longest texts of a page may have for a short statement. */
const MAX_SHORT_CHARACTERS = 10_000_000;

function pageOf(where: Where, order: Order, limit: number, offset: number): PageStatement {
  const { kind, sql } = where.context;
  const { values } = where.params;
  const { table } = kind;
  const by = ` ORDER BY ${order.text()}`;
  const read = readOf(where, limit);
  const window = `${by} LIMIT ${where.params.add(limit)} OFFSET ${where.params.add(offset)}`;
  const conditions = where.text();
  const found = `${conditions}${window}`;
  const text =
    offset < DEEP
      ? read.rows(found)
      : read.rows(` WHERE t.id = ANY(ARRAY(SELECT t.id FROM ${sql.from}${found}))${by}`);
  const characters = limit * kind.props.reduce((sum, prop) => sum + (prop.length ?? 0), 0);
  const short = order.indexed && where.isIndexed() && offset < DEEP && characters <= MAX_SHORT_CHARACTERS;
  const ofCandidates = (ids: readonly string[]): RowsStatement => {
    // Keep the conditions: a row may have changed since its id was found.
    const among = { conditions: where.among(values), window, values: [...values, ids] };
    const sizes = read.sizes(among, by, false);
    return {
      text: read.rows(`${among.conditions}${window}`),
      values: among.values,
      table,
      short: false,
      sizes,
    };
  };
  const sizes = read.sizes({ conditions, window, values }, by, short);
  return { text, values, table, short, ofCandidates, sizes };
}

/** The statement of the rows with these ids that the viewer may see, to be included beside others. */
export function planIncluded(context: RowsContext, ids: readonly string[]): RowsStatement {
  const where = new Where(context);
  const read = readOf(where, ids.length);
  const values = [...where.params.values, ids];
  const found = where.among(where.params.values);
  const sizes = read.sizes({ conditions: found, window: '', values }, '', true);
  return { text: read.rows(found), values, table: context.kind.table, short: true, sizes };
}

/** Which rows are found. */
interface Found {
  readonly conditions: string;
  /** Order and limit. */
  readonly window: string;
  readonly values: readonly unknown[];
}

/** Writes the statements of some rows. */
interface RowsRead {
  /** The text of a statement that reads them; it is not used where there is one of their sizes. */
  rows(tail: string): string;
  /**
   * Reads their sizes first, unless they can't be too large together.
   * @param order `ORDER BY`, when they are read afterwards
   * @param isCheap whether they are found so cheaply that they can be found twice, by a guarded statement
   */
  sizes(found: Found, order: string, isCheap: boolean): PageSizes | null;
}

/** Long values that are hidden are not read, and have no size: it would tell of them. */
function readOf(where: Where, count: number): RowsRead {
  const { kind, viewer, sql, pageBytes } = where.context;
  const mayBeLarge = count > 1 && count * maxRowBytes(sql, viewer).visible > pageBytes;
  const read = where.visible();
  const asked = [...where.params.values];
  return {
    rows: (tail) => sql.rows(tail, read),
    sizes: ({ conditions, window, values }, order, isCheap) => {
      if (!mayBeLarge) return null;
      const text = sql.sizes(`${conditions}${window}`, read);
      const of = (ids: readonly string[]) => ({
        text: sql.rows(`${where.among(asked)}${order}`, read),
        values: [...asked, ids],
        table: kind.table,
      });
      const fits = `(SELECT count(*) = 1 OR sum(s.bytes) <= ${pageBytes} FROM (${text}) s)`;
      const guarded = isCheap ? sql.rows(`${conditions || ' WHERE true'} AND ${fits}${window}`, read) : null;
      return { text, values, table: kind.table, of, guarded };
    },
  };
}

/** The conditions of a list and what they need of the context. */
class Where {
  readonly params = new Params();
  /** Whether a text is searched for. */
  searches = false;
  private readonly conditions: string[] = [];
  private readonly scopeSql: ScopeSql;

  constructor(readonly context: RowsContext) {
    const { parent } = context;
    this.scopeSql = scopeParameters(context, this.params);
    this.within(rowScope(context.kind, context.viewer));
    if (context.closed) this.conditions.push(`t.id <> ALL(${this.params.add(context.closed)}::bigint[])`);
    if (parent) {
      // A child list is a qualifier on the child's parent prop, with the same visibility.
      this.within(this.comparable(parent.prop));
      this.conditions.push(`t.${quote(columnOf(parent.prop))} = ${this.params.add(parent.id)}`);
    }
  }

  /** Reads search, qualifiers and ranges. Returns warnings. */
  read(reader: QueryReader): Warning[] {
    if (reader.isDone()) return [];
    const warnings: Warning[] = [];
    for (const prop of this.context.kind.props) {
      if (prop.filterQualifier) warnings.push(...this.qualifier(prop, reader.all(prop.name)));
      if (prop.filterRange) {
        this.bound(prop, '>=', `_start_${prop.name}`, reader);
        this.bound(prop, '<=', `_end_${prop.name}`, reader);
      }
    }
    warnings.push(...this.search(reader.all('search')));
    return warnings;
  }

  text(): string {
    return this.conditions.length ? ` WHERE ${this.conditions.join(' AND ')}` : '';
  }

  /** The same, of the rows with the ids that are the next value after these. */
  among(values: readonly unknown[]): string {
    return `${this.text() || ' WHERE true'} AND t.id = ANY($${values.length + 1}::bigint[])`;
  }

  /** What the viewer sees of the rows. */
  visible(): Projection {
    const { kind, viewer, sql } = this.context;
    return sql.project((prop) => this.scoped(listedScope(prop, kind, viewer)));
  }

  /** Whether every row of the kind matches. */
  isEmpty(): boolean {
    return this.conditions.length === 0;
  }

  /** Whether the matching rows are consecutive in an index on createdAt and id (table.ts). */
  isIndexed(): boolean {
    return this.conditions.length === (this.context.parent ? 1 : 0);
  }

  count(): ReadStatement {
    const text = `SELECT count(*) AS count FROM ${this.context.sql.from}${this.text()}`;
    return { text, values: [...this.params.values], table: this.context.kind.table };
  }

  candidates(): CandidateStatement {
    const text = `SELECT t.id FROM ${this.context.sql.from}${this.text()} LIMIT ${MAX_CANDIDATES + 1}`;
    return { text, values: [...this.params.values], table: this.context.kind.table, most: MAX_CANDIDATES };
  }

  /** SQL that is true on the rows of a scope. */
  scoped(where: AccessScope): string {
    const { kind, viewer } = this.context;
    return scopeSql(where, kind, viewer, this.scopeSql);
  }

  /** The rows on which a prop may be compared. @throws ApiError 403 if there can be none */
  comparable(prop: PropDef): AccessScope {
    const { kind, viewer } = this.context;
    const denied = denyCompare(prop, kind, viewer);
    if (denied) throw denied;
    return viewScope(prop, kind, viewer);
  }

  private within(where: AccessScope): void {
    if (where === NO_ROW) this.conditions.push('false');
    else if (where !== EVERY_ROW) this.conditions.push(this.scoped(where));
  }

  private qualifier(prop: PropDef, texts: readonly string[]): Warning[] {
    if (!texts.length) return [];
    if (texts.length > LIST_LIMITS.values)
      throw invalid(prop.name, `${prop.name} may be given at most ${LIST_LIMITS.values} times.`);
    const where = this.comparable(prop);
    const comparisons = texts.map(comparisonOf).filter(({ value }) => value !== '');
    const terms = comparisons.map((one) => this.compare(prop, one));
    if (terms.length) {
      this.within(where);
      this.conditions.push(`(${terms.join(' OR ')})`);
    }
    if (terms.length === texts.length) return [];
    const message = `Behind the operator of ${prop.name} stands nothing, so it was ignored; \\ before a value takes it as it is.`;
    return [{ code: 400, message, data: prop.name }];
  }

  private compare(prop: PropDef, { sign, value, isLiteral }: Comparison): string {
    const column = columnOf(prop);
    const differs = sign === '<>' || sign === '!=';
    if (value === 'null' && !isLiteral) {
      if (sign !== '' && !differs)
        throw invalid(prop.name, `${prop.name}: null is compared with = or != alone.`);
      return `t.${quote(column)} IS ${differs ? 'NOT ' : ''}NULL`;
    }
    const type = PROP_TYPES[prop.type];
    if (sign !== '' && !differs && !type.ordered)
      throw invalid(prop.name, `${prop.name} is compared with = or != alone.`);
    const parsed = type.parseText(isLiteral ? value.slice(1) : value, prop, this.context.ids);
    // Values that count as equal when they are stored also do when they are compared.
    const isFolded = prop.uniqueCaseInsensitive === true && (sign === '' || differs);
    const placeholder = this.params.add(isFolded ? fold(String(parsed)) : parsed);
    const compared = `t.${quote(isFolded ? foldedColumn(column) : column)}`;
    return differs
      ? `${compared} IS DISTINCT FROM ${placeholder}`
      : `${compared} ${sign || '='} ${placeholder}`;
  }

  private bound(prop: PropDef, sign: string, name: string, reader: QueryReader): void {
    const text = reader.one(name);
    if (text === undefined || text === '') return;
    this.within(this.comparable(prop));
    // A fault names the parameter that was sent.
    const value = PROP_TYPES[prop.type].parseText(text, { ...prop, name }, this.context.ids);
    this.conditions.push(`t.${quote(columnOf(prop))} ${sign} ${this.params.add(value)}`);
  }

  private search(texts: readonly string[]): Warning[] {
    if (!texts.length) return [];
    if (texts.length > LIST_LIMITS.searches)
      throw invalid('search', `search may be given at most ${LIST_LIMITS.searches} times.`);
    if (texts.some((text) => text.length > LIST_LIMITS.searchCharacters)) {
      throw invalid('search', `search may have at most ${LIST_LIMITS.searchCharacters} characters.`);
    }
    const { kind, viewer } = this.context;
    const searched = searchedProps(kind, viewer);
    if (!searched.size) {
      this.conditions.push('false');
      return [{ code: 403, message: 'No prop that search compares with is visible to you.', data: 'search' }];
    }
    this.searches = true;
    const patterns = texts.map((text) => `${PATTERN_FUNCTION}(${this.params.add(text)})`);
    const matches = (props: readonly PropDef[]) =>
      props
        .map((prop) => `t.${quote(searchColumn(columnOf(prop)))}`)
        .flatMap((column) => patterns.map((pattern) => `${column} LIKE ${pattern}`))
        .join(' OR ');
    const terms = [...searched].map(([where, props]) =>
      where === EVERY_ROW ? matches(props) : `(${this.scoped(where)} AND (${matches(props)}))`,
    );
    this.conditions.push(`(${terms.join(' OR ')})`);
    return [];
  }
}

/** The SQL of what groups look at: each value is a parameter once, however often it stands in the statement. */
function scopeParameters({ sql }: RowsContext, params: Params): ScopeSql {
  const known = new Map<string, string>();
  const parameter: ScopeSql['parameter'] = (name, value) => {
    const placeholder = known.get(name) ?? params.add(value());
    known.set(name, placeholder);
    return placeholder;
  };
  return {
    column: (rule) => sql.ruleColumn(rule),
    parameter,
    isMember: (source, column, user) => {
      const { roles } = source;
      const list = roles && `${parameter(`roles ${keyOfSource(source)}`, () => roles)}::text[]`;
      return sql.isMember(source, user, column, list);
    },
  };
}

/** The value of a qualifier, taken apart. */
interface Comparison {
  readonly sign: string;
  /** Empty: no condition. */
  readonly value: string;
  /** Whether `value` begins with the backslash that takes the rest as it is: an operator or `null` that is meant. */
  readonly isLiteral: boolean;
}

function comparisonOf(text: string): Comparison {
  const [, sign = '', value = ''] = /^(>=|<=|<>|!=|>|<)?([^]*)$/.exec(text) ?? [];
  return { sign, value, isLiteral: value.startsWith('\\') };
}

interface Order {
  /** Returns the `ORDER BY` clause. Call it after the conditions were counted, because it may add a parameter. */
  readonly text: () => string;
  /** Whether every kind has an index of this order, alone and below each parent (table.ts). */
  readonly indexed: boolean;
}

function orderBy(reader: QueryReader, where: Where): Order {
  const { kind, viewer } = where.context;
  const name = reader.one('sortBy') ?? DEFAULT_SORT.by;
  const order = reader.one('sortOrder') ?? DEFAULT_SORT.order;
  if (order !== 'asc' && order !== 'desc') throw invalid('sortOrder', 'sortOrder must be asc or desc.');
  const prop = kind.byName.get(name);
  if (!prop || !isSortable(prop)) {
    throw invalid('sortBy', `sortBy must be the name of a prop of ${kind.kind} that has an order.`);
  }
  where.comparable(prop);
  const seen = listedScope(prop, kind, viewer);
  const text = () => {
    const column = `t.${quote(columnOf(prop))}`;
    const key = seen === EVERY_ROW ? column : `CASE WHEN ${where.scoped(seen)} THEN ${column} END`;
    // Nulls stand last in ascending and first in descending order, so one index serves both ways.
    return name === 'id' ? `t.id ${order}` : `${key} ${order}, t.id ${order}`;
  };
  return { text, indexed: name === 'createdAt' && seen === EVERY_ROW };
}
