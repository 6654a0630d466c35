import { Injectable } from '@nestjs/common';
import { type Requester, combineRequesters, INTERNAL_REQUESTER } from '../../common/requester.js';
import { pageTooLarge } from '../../common/errors.js';
import { BatchLoader } from '../../postgres/batch-loader.js';
import type { ReadPool } from '../../postgres/reader.js';
import type { ReadStatement, ResultRow, Statement } from '../../postgres/statement.js';
import type { Row } from '../row.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { maintainedTotals } from '../sql/kind-sql.js';
import { RecordStore } from '../sql/record-store.js';
import type { CandidateStatement, ListPlan, RowsStatement } from './list-query.js';

/** The maximum number of tables in one statement for totals. */
const MAX_TOTALS = 500;
/** The maximum number of prepared statements per connection. Further lists run unprepared. */
const MAX_PREPARED = 500;

/** A page of a list. */
export interface ListPage {
  readonly rows: readonly Row[];
  /** How many rows there are on all pages. */
  readonly total: number;
}

/** A statement of a list, with its requester. */
interface Request {
  readonly statement: ReadStatement;
  readonly requester: Requester;
}

/**
 * Reads lists: the rows of a page and the total, with as few statements as possible. Knows nothing of viewers: the plan
 * (list-query.ts) excludes what they may not see.
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

  /** @throws ApiError 442 if the rows exceed the size of a page; they are not read then */
  async read(kind: LinkedKind, plan: ListPlan, requester: Requester): Promise<ListPage> {
    // Few first: a search mostly finds few rows, and is expensive. One statement finds their ids, for page and total.
    const ids = plan.candidates && (await this.candidates(plan.candidates, requester));
    const page = ids ? plan.rows?.ofCandidates(ids) : plan.rows;
    const [rows, known] = await Promise.all([
      page ? this.rows(page, requester) : [],
      // A maintained total: triggers keep the number of all rows of a table. It is read in parallel with the page.
      plan.total === 'maintained' ? this.totals.get(kind.table) : ids && ids.length,
    ]);
    // A page that is not full is the last one and proves the total. An empty one proves it only if it is the first.
    const before = (plan.page - 1) * plan.itemsPerPage;
    const isLast = rows.length < Math.min(plan.itemsPerPage, plan.maxItems - before);
    if (isLast && (rows.length > 0 || before === 0)) return { rows, total: before + rows.length };
    // Otherwise, count.
    return {
      rows,
      total: known ?? (plan.total === 'maintained' ? 0 : await this.count(plan.total, requester)),
    };
  }

  /**
   * The rows of a statement. If they may be too large, a short page is read by a statement that returns no rows in that case; of
   * any other page, the sizes are read first.
   * @throws ApiError 442 when they are larger together than a page may be; they are not read then
   */
  async rows(statement: RowsStatement, requester: Requester = INTERNAL_REQUESTER): Promise<Row[]> {
    const { sizes, short } = statement;
    if (!sizes) return (await this.load({ statement, requester }, short)) as Row[];
    const { guarded } = sizes;
    if (guarded !== null) {
      const rows = await this.load({ statement: { ...sizes, text: guarded }, requester }, short);
      if (rows.length) return rows as Row[];
    }
    const found = await this.load({ statement: sizes, requester }, short);
    if (!found.length) return [];
    this.refuseLarge(found);
    const ids = found.map(({ id }) => String(id));
    return (await this.load({ statement: sizes.of(ids), requester }, false)) as Row[];
  }

  /** The ids of all rows of a list; null if there are too many. */
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

  /** Runs equal statements of one tick only once. */
  private async load(request: Request, short: boolean): Promise<ResultRow[]> {
    return (await this.pages[short ? 'point' : 'list'].get(request)) ?? [];
  }

  private async loadPage(pool: ReadPool, request: Request): Promise<Map<Request, ResultRow[]>> {
    const { text, values, table } = request.statement;
    const name = this.prepared.get(text) ?? this.prepare(text);
    const rows = await this.store.database.read(pool, { name, text, values, table }, request.requester);
    return new Map([[request, rows]]);
  }

  /** The name to prepare a statement under, unless there are too many different texts. */
  private prepare(text: string): string | undefined {
    if (this.prepared.size === MAX_PREPARED) return undefined;
    const name = `${this.store.graph.version}_list_${this.prepared.size}`;
    this.prepared.set(text, name);
    return name;
  }

  /** A key of equal statements. Names replace texts, which are long. */
  private keyOf({ text, values }: Statement): string {
    return `${this.prepared.get(text) ?? text} ${JSON.stringify(values)}`;
  }

  private async loadTotals(tables: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.store.database.read('point', maintainedTotals(tables));
    return new Map(rows.map((row) => [String(row.path), Number(row.count)]));
  }
}
