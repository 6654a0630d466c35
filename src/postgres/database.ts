import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { type Asker, THE_SERVICE } from '../common/asker.js';
import { away } from './away.js';
import { isConnectionError } from './error-code.js';
import type { FairSlots } from './fair-slots.js';
import { poolOf } from './pool-of.js';
import { rowsOf } from './prepared-query.js';
import { type ReadPool, type ReadPoolLoad, Reader } from './reader.js';
import { retrying } from './retry.js';
import type { ReadStatement, ResultRow, Statement } from './statement.js';

/** A transaction: the engine's statements and, for services, TypeORM's manager, on the same connection. */
export interface Transaction {
  query(statement: Statement): Promise<ResultRow[]>;
  readonly manager: EntityManager;
}

/** What the connections are doing now. */
export interface DatabaseLoad {
  /** Connections of the pool that transactions use, and transactions that wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly readPools: Readonly<Record<ReadPool, ReadPoolLoad>>;
}

/** The engine's way to PostgreSQL: single reads on the reader's connections, transactions on TypeORM's pool. */
@Injectable()
export class Database implements OnApplicationShutdown {
  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    private readonly reader: Reader,
    private readonly slots: FairSlots<null>,
  ) {}

  /** TypeORM's own pool, for what needs nothing of TypeORM. */
  private get pool(): Pool {
    return poolOf(this.dataSource);
  }

  /** @param asker for whom it is: those who wait for a slow read take turns */
  read(pool: ReadPool, statement: ReadStatement, asker?: Asker): Promise<ResultRow[]> {
    return this.reader.query(pool, statement, asker);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED): all of it is stored, or nothing when it throws.
   * It is run again from the start after a deadlock, so it must not act on anything but the database.
   * @param table what it is about: those of one table, which may be locked, never take all connections
   * @throws ApiError 503 when it would wait too long for a connection, or too many wait
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, table = ''): Promise<T> {
    return this.inTurn(table, () => this.attempt(work));
  }

  /**
   * One statement that writes or waits for a lock; by itself it is a transaction, stored when this resolves.
   * @param now what is sent in its stead once there is a connection, after whatever wait and at every try; null: nothing
   */
  write(statement: Statement, now: () => Statement | null = () => statement): Promise<ResultRow[]> {
    return this.inTurn(statement.table ?? '', () => this.alone(now));
  }

  load(): DatabaseLoad {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.pool;
    const queued = this.slots.load().waiting;
    return { pool: { total, idle, waiting: waiting + queued }, readPools: this.reader.load() };
  }

  async onApplicationShutdown(): Promise<void> {
    this.slots.close();
    await this.reader.close();
  }

  /** The tables take turns, as callers do with slow reads. */
  private inTurn<T>(table: string, work: () => Promise<T>): Promise<T> {
    return this.slots.run('', { ...THE_SERVICE, share: table }, () => retrying(work));
  }

  private async alone(now: () => Statement | null): Promise<ResultRow[]> {
    const client = await this.pool.connect().catch((cause: unknown) => {
      throw away(cause);
    });
    let lost: Error | null = null;
    const onError = (error: Error) => (lost = error);
    client.on('error', onError);
    try {
      const statement = now();
      const rows = statement ? await rowsOf(client, statement) : [];
      client.release();
      return rows;
    } catch (error) {
      const cause = lost ?? error;
      client.release(isConnectionError(cause));
      throw cause;
    } finally {
      client.off('error', onError);
    }
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
      const query = (statement: Statement) => rowsOf(connection, statement);
      const result = await work({ query, manager: runner.manager });
      await runner.commitTransaction();
      connection.off('error', onError);
      await runner.release();
      return result;
    } catch (error) {
      client?.off('error', onError);
      // TypeORM only says that the connection is gone; why is what the error mapping needs.
      const cause = lost ?? error;
      await giveBack(runner, client, cause);
      throw cause;
    }
  }
}

/** Rolls back and returns the connection to the pool, which throws away one that no longer answers: that one is ended. */
async function giveBack(runner: QueryRunner, client: PoolClient | null, error: unknown): Promise<void> {
  const end = () => void client?.end().catch(() => undefined);
  if (isConnectionError(error)) end();
  else if (runner.isTransactionActive) await runner.rollbackTransaction().catch(end);
  await runner.release();
}

/** A connection of the pool; whatever keeps us from one, the database is away. @throws ApiError 503 */
async function lent(runner: QueryRunner): Promise<PoolClient> {
  try {
    return (await runner.connect()) as PoolClient;
  } catch (cause) {
    throw away(cause);
  }
}
