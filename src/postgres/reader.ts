import type { Requester } from '../common/requester.js';
import { AbandonedBackends } from './abandoned-backends.js';
import { Connection } from './connection.js';
import { ListReadPool } from './list-read-pool.js';
import { PointReadPool } from './point-read-pool.js';
import type { ResultRow, Statement } from './statement.js';

/**
 * `point`: short reads by an index, many under way on one connection (PostgreSQL's pipelining), each planned once and by
 * an index whatever the statistics say. `list`: reads that may be slow, one at a time on a connection, so that none can
 * hold up or take down another.
 */
export type ReadPool = 'point' | 'list';

/** Numbers of statements. */
export interface ReadPoolLoad {
  readonly underWay: number;
  readonly waiting: number;
}

/** Connections of the read pools. */
export interface ReaderConnections {
  readonly point: number;
  /** For those of `point` that are held up by a lock. */
  readonly aside: number;
  readonly list: number;
}

const READ_ONLY = '-c default_transaction_read_only=on';
/** Workers would make one slow read shorter and all of them dearer: starting them costs more than many a read. */
const ALONE = '-c max_parallel_workers_per_gather=0';
const BY_INDEX = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_sort=off -c jit=off';
/** Slow reads that may wait, and as many transactions. */
export const MAX_WAITING = 500;

/**
 * Reads beside TypeORM, on a few connections of the engine's own. Its sessions are read-only: whatever writes, or waits
 * for a lock, belongs into a transaction (database.ts). A connection that breaks fails what is under way on it with
 * 503 and is made anew by the next read; more work than can wait is refused with 503.
 */
export class Reader {
  /** Asked by short reads: no other statement keeps those waiting. */
  readonly abandoned = new AbandonedBackends((statement) => this.query('point', statement));
  private readonly point: PointReadPool;
  private readonly list: ListReadPool;

  constructor(url: string, statementTimeoutMs: number, { point, aside, list }: ReaderConnections) {
    const make = (pool: ReadPool, settings: string) =>
      new Connection({
        url,
        name: `kindred-${pool}`,
        statementTimeoutMs,
        pipeline: pool === 'point',
        settings: `${READ_ONLY} ${settings}`,
      });
    this.point = new PointReadPool({ connections: point, aside, make: () => make('point', BY_INDEX) });
    this.list = new ListReadPool(
      Array.from({ length: list }, () => make('list', ALONE)),
      { maxWaiting: MAX_WAITING, timeoutMs: statementTimeoutMs },
      this.abandoned,
    );
  }

  /**
   * @param requester slow reads are queued fairly by it
   * @throws ApiError 503; pg's own errors for what the statement did wrong.
   */
  query(pool: ReadPool, statement: Statement, requester?: Requester): Promise<ResultRow[]> {
    return pool === 'point' ? this.point.query(statement) : this.list.query(statement, requester);
  }

  /** What is under way now, and what waits for its turn. */
  load(): Record<ReadPool, ReadPoolLoad> {
    return { point: this.point.load(), list: this.list.load() };
  }

  async close(): Promise<void> {
    this.abandoned.close();
    await Promise.all([this.point.close(), this.list.close()]);
  }
}
