import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { PoolClient } from 'pg';
import { ENGINE_TYPES } from './pg-values.js';
import { type Lane, Reader, type ResultRow, type Statement } from './reader.js';

/** A transaction: the engine's statements and, for services, TypeORM's manager, on the same connection. */
export interface Transaction {
  query(statement: Statement): Promise<ResultRow[]>;
  readonly manager: EntityManager;
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

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }

  private async attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      await runner.startTransaction();
      const query = async (statement: Statement) => {
        const result = await client.query<ResultRow>({
          ...statement,
          values: [...statement.values],
          types: ENGINE_TYPES,
        });
        return result.rows;
      };
      const result = await work({ query, manager: runner.manager });
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // The first error is the one that tells; a lost connection fails the rollback too.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
