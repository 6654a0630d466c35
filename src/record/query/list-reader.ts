import { Injectable } from '@nestjs/common';
import { type Requester, combineRequesters } from '../../common/requester.js';
import { pageTooLarge } from '../../common/errors.js';
import { BatchLoader } from '../../postgres/batch-loader.js';
import type { ReadPool } from '../../postgres/reader.js';
import type { ReadStatement, ResultRow, Statement } from '../../postgres/statement.js';
import type { Row } from '../row.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { maintainedTotals } from '../sql/kind-sql.js';
import { RecordStore } from '../sql/record-store.js';
import type { CandidateStatement, ListPlan, PageStatement } from './list-query.js';

/** Tables whose totals one statement asks for, at most. */
const MAX_TOTALS = 500;
/** Statement texts that PostgreSQL keeps prepared per connection at most; lists beyond it run unprepared. */
const MAX_PREPARED = 500;

/** A page of a list. */
export interface ListPage {
  readonly rows: readonly Row[];
  /** How many rows there are on all pages. */
  readonly total: number;
}

/** A statement of a list, and for whom it runs. */
interface Request {
  readonly statement: ReadStatement;
  readonly requester: Requester;
}

/**
 * Reads lists: the rows of a page and the number of rows on all pages, with as few statements as will do. Knows nothing
 * of viewers; what one may not see is excluded by the plan (list-query.ts).
 */
@Injectable()
export class ListReader {
  private readonly pages: Readonly<Record<ReadPool, BatchLoader<ResultRow[], Request>>>;
  private readonly totals = new BatchLoader<number>((tables) => this.loadTotals(tables), MAX_TOTALS);
  private readonly prepared = new Map<string, string>();

  constructor(private readonly store: RecordStore) {
    const pages = (pool: ReadPool) =>
      new BatchLoader<ResultRow[], Request>(
        ([request]) => this.loadPage(pool, request),
        1,
        ({ statement }) => this.keyOf(statement),
        (equal) => ({
          statement: equal[0].statement,
          requester: combineRequesters(equal.map(({ requester }) => requester)),
        }),
      );
    this.pages = { point: pages('point'), list: pages('list') };
  }

  /** @throws ApiError 442 when the rows are larger together than a page may be; they are not read then */
  async read(kind: LinkedKind, plan: ListPlan, requester: Requester): Promise<ListPage> {
    // Few first: a search mostly finds few rows, and is expensive. One statement finds their ids, for page and total.
    const ids = plan.candidates && (await this.candidates(plan.candidates, requester));
    const page = ids ? plan.rows?.ofCandidates(ids) : plan.rows;
    const [rows, known] = await Promise.all([
      page ? this.rows(page, requester) : [],
      // A maintained total: triggers keep the number of all rows of a table, which is read while the page is.
      plan.total === 'maintained' ? this.totals.get(kind.table) : ids && ids.length,
    ]);
    // A page that proves the total: the last one ends before it is full. An empty one proves it only if it is the first.
    const before = (plan.page - 1) * plan.itemsPerPage;
    const isLast = rows.length < Math.min(plan.itemsPerPage, plan.maxItems - before);
    if (isLast && (rows.length > 0 || before === 0)) return { rows, total: before + rows.length };
    // Counted, as nothing else tells the total.
    return {
      rows,
      total: known ?? (plan.total === 'maintained' ? 0 : await this.count(plan.total, requester)),
    };
  }

  /** Rows by id that stand beside a page. @throws ApiError 442 when they are larger together than a page may be */
  async beside(kind: LinkedKind, ids: readonly string[]): Promise<Map<string, Row>> {
    const unique = [...new Set(ids)];
    const sql = this.store.sql(kind);
    if (unique.length > 1 && unique.length * sql.maxBytes > this.store.pageBytes) {
      const text = sql.sizes(' WHERE t.id = ANY($1::bigint[])');
      const sizes = { text, values: [unique], table: kind.table };
      this.refuseLarge(await this.store.database.read('point', sizes));
    }
    return this.store.getMany(kind, unique);
  }

  /**
   * The rows of a page. One that may be too large is guarded: a short page comes with its rows or, when they are too large
   * together, with none; of any other the sizes are read first.
   */
  private async rows(page: PageStatement, requester: Requester): Promise<Row[]> {
    const { look, short } = page;
    if (!look) return (await this.load({ statement: page, requester }, short)) as Row[];
    const { guarded } = look;
    if (guarded !== null) {
      const rows = await this.load({ statement: { ...look, text: guarded }, requester }, short);
      if (rows.length) return rows as Row[];
    }
    const sizes = await this.load({ statement: look, requester }, short);
    this.refuseLarge(sizes);
    const ids = sizes.map(({ id }) => String(id));
    return (await this.load({ statement: look.of(ids), requester }, false)) as Row[];
  }

  /** The ids of all rows of a list; null when they are not few. */
  private async candidates(
    { most, ...statement }: CandidateStatement,
    requester: Requester,
  ): Promise<string[] | null> {
    const rows = await this.load({ statement, requester }, false);
    return rows.length > most ? null : rows.map((row) => String(row.id));
  }

  private async count(statement: ReadStatement, requester: Requester): Promise<number> {
    const [row] = await this.load({ statement, requester }, false);
    return Number(row?.count ?? 0);
  }

  private refuseLarge(sizes: readonly ResultRow[]): void {
    const { pageBytes } = this.store;
    const bytes = sizes.reduce((sum, row) => sum + Number(row.bytes), 0);
    if (sizes.length > 1 && bytes > pageBytes) throw pageTooLarge(pageBytes);
  }

  /** Equal statements of one turn of the event loop run once. */
  private async load(request: Request, short: boolean): Promise<ResultRow[]> {
    return (await this.pages[short ? 'point' : 'list'].get(request)) ?? [];
  }

  private async loadPage(pool: ReadPool, request: Request): Promise<Map<Request, ResultRow[]>> {
    const { text, values, table } = request.statement;
    const name = this.prepared.get(text) ?? this.prepare(text);
    const rows = await this.store.database.read(pool, { name, text, values, table }, request.requester);
    return new Map([[request, rows]]);
  }

  /** A statement is prepared under a name as long as there are not too many different texts. */
  private prepare(text: string): string | undefined {
    if (this.prepared.size === MAX_PREPARED) return undefined;
    const name = `${this.store.graph.version}_list_${this.prepared.size}`;
    this.prepared.set(text, name);
    return name;
  }

  /** Equal for equal statements: names stand for their texts, which are long. */
  private keyOf({ text, values }: Statement): string {
    return `${this.prepared.get(text) ?? text} ${JSON.stringify(values)}`;
  }

  private async loadTotals(tables: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.store.database.read('point', maintainedTotals(tables));
    return new Map(rows.map((row) => [String(row.path), Number(row.count)]));
  }
}
