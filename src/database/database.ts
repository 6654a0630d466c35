import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../http/errors.js';
import { codeOf } from './error-code.js';
import { ENGINE_TYPES } from './pg-values.js';
import { type Lane, type LaneLoad, Reader, type ResultRow, type Statement } from './reader.js';

/** A transaction: the engine's statements and, for services, TypeORM's manager, on the same connection. */
export interface Transaction {
  query(statement: Statement): Promise<ResultRow[]>;
  readonly manager: EntityManager;
}

/** What the connections are doing now. */
export interface DatabaseLoad {
  /** Connections of the pool that transactions use, and transactions that wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly lanes: Readonly<Record<Lane, LaneLoad>>;
}

/** PostgreSQL gave up one of two transactions that waited for each other, or that could not be put in order. */
const WORTH_RETRYING = new Set(['40001', '40P01']);
const MOST_TRIES = 4;

/** The engine's way to PostgreSQL: single reads on the reader's connections, transactions on TypeORM's pool. */
@Injectable()
export class Database implements OnApplicationShutdown {
  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    private readonly reader: Reader,
  ) {}

  read(lane: Lane, statement: Statement): Promise<ResultRow[]> {
    return this.reader.query(lane, statement);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED): all of it is stored, or nothing when it throws.
   * It is run again from the start after a deadlock, so it must not act on anything but the database.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt === MOST_TRIES || !WORTH_RETRYING.has(codeOf(error))) throw error;
      }
    }
  }

  /** One statement that writes or waits for a lock, in a transaction of its own. */
  write(statement: Statement): Promise<ResultRow[]> {
    return this.transaction((tx) => tx.query(statement));
  }

  load(): DatabaseLoad {
    const { master } = this.dataSource.driver as unknown as { master: Pool };
    const pool = { total: master.totalCount, idle: master.idleCount, waiting: master.waitingCount };
    return { pool, lanes: this.reader.load() };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }

  private async attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let lost: Error | null = null;
    let client: PoolClient | null = null;
    const onError = (error: Error) => (lost = error);
    try {
      client = await lent(runner);
      const connection = client;
      connection.on('error', onError);
      await runner.startTransaction();
      const query = async (statement: Statement) => {
        const values = [...statement.values];
        const result = await connection.query<ResultRow>({ ...statement, values, types: ENGINE_TYPES });
        return result.rows;
      };
      const result = await work({ query, manager: runner.manager });
      await runner.commitTransaction();
      connection.off('error', onError);
      await runner.release();
      return result;
    } catch (error) {
      client?.off('error', onError);
      // TypeORM only says that the connection is gone; why is what the error mapping needs.
      const cause = lost ?? error;
      await this.giveBack(runner, cause);
      throw cause;
    }
  }

  /** Rolls back and returns the connection to the pool; one that no longer answers is thrown away instead. */
  private async giveBack(runner: QueryRunner, error: unknown): Promise<void> {
    const connection = runner as QueryRunner & { releasePostgresConnection(error?: unknown): Promise<void> };
    if (isConnectionError(error)) return connection.releasePostgresConnection(error);
    try {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    } catch (failure) {
      await connection.releasePostgresConnection(failure);
    }
  }
}

/** A connection of the pool; whatever keeps us from one, the database is away. @throws ApiError 503 */
async function lent(runner: QueryRunner): Promise<PoolClient> {
  try {
    return (await runner.connect()) as PoolClient;
  } catch (cause) {
    throw unavailable(undefined, cause);
  }
}

/** Without an SQLSTATE it was not PostgreSQL that spoke: the connection timed out or broke. */
function isConnectionError(error: unknown): boolean {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return (
    /^(Query read timeout|Connection terminated|Client has encountered a connection error)/.test(message) ||
    /^(08|57P0)/.test(codeOf(error)) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(codeOf(error))
  );
}
