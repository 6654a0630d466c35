import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { type Requester, INTERNAL_REQUESTER } from '../common/requester.js';
import { databaseUnavailable } from './database-unavailable.js';
import { isAbandoned, isConnectionError } from './error-code.js';
import { processIdOf } from './pg-internals.js';
import type { FairSlots } from '../common/fair-slots.js';
import { poolOf } from './pool-of.js';
import { rowsOf } from './prepared-query.js';
import { type ReadPool, type ReadPoolLoad, Reader } from './reader.js';
import { withRetries } from './retry.js';
import type { ReadStatement, ResultRow, Statement } from './statement.js';

/** A transaction: the engine's statements and, for services, TypeORM's manager, on the same connection. */
export interface Transaction {
  query(statement: Statement): Promise<ResultRow[]>;
  readonly manager: EntityManager;
}

/** The current use of the connections. */
export interface DatabaseLoad {
  /** Connections of the pool that transactions use, and transactions that wait for one. */
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly readPools: Readonly<Record<ReadPool, ReadPoolLoad>>;
}

/** The engine's access to PostgreSQL: single reads on the reader's connections, transactions on TypeORM's pool. */
@Injectable()
export class Database implements OnApplicationShutdown {
  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    private readonly reader: Reader,
    private readonly slots: FairSlots<null>,
  ) {}

  /** TypeORM's own pool, for statements that do not need TypeORM. */
  private get pool(): Pool {
    return poolOf(this.dataSource);
  }

  /** @param requester slow reads are queued fairly by it */
  read(pool: ReadPool, statement: ReadStatement, requester?: Requester): Promise<ResultRow[]> {
    return this.reader.query(pool, statement, requester);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED). Nothing is stored if it throws.
   * After a deadlock it runs again from the start, so it must have no effects outside of the database.
   * @param table the table that it writes: if that is locked, its transactions do not occupy all connections
   * @param requester transactions that wait for a connection are queued fairly by it
   * @throws ApiError 503 when it waits too long for a connection, or too many wait
   */
  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    table = '',
    requester = INTERNAL_REQUESTER,
  ): Promise<T> {
    return this.withSlot(table, requester, (abandon) => this.attempt(work, abandon));
  }

  /**
   * Runs one statement that writes or locks, as a transaction of its own. It is committed when this resolves.
   * @param requester writes that wait for a connection are queued fairly by it
   * @param now called before each try, once there is a connection: returns the statement to send; null: none
   */
  write(
    statement: Statement,
    requester = INTERNAL_REQUESTER,
    now: () => Statement | null = () => statement,
  ): Promise<ResultRow[]> {
    return this.withSlot(statement.table ?? '', requester, (abandon) => this.alone(now, abandon));
  }

  /** Whether a write to a table would get a connection at once. */
  isFree(table: string, requester: Requester): boolean {
    return this.slots.isFree(table, requester);
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

  /** Slots are shared fairly between requesters and between tables, as they are for slow reads. */
  private withSlot<T>(
    table: string,
    requester: Requester,
    work: (abandon: Abandon) => Promise<T>,
  ): Promise<T> {
    return this.slots.run(table, requester, (_slot, hold) => {
      const abandon: Abandon = (client) => hold(this.reader.abandoned.finished(processIdOf(client)));
      return withRetries(() => work(abandon));
    });
  }

  private async alone(now: () => Statement | null, abandon: Abandon): Promise<ResultRow[]> {
    const client = await this.pool.connect().catch((cause: unknown) => {
      throw databaseUnavailable(cause);
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
      if (isAbandoned(cause)) abandon(client);
      throw cause;
    } finally {
      client.off('error', onError);
    }
  }

  private async attempt<T>(work: (tx: Transaction) => Promise<T>, abandon: Abandon): Promise<T> {
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
      // TypeORM only says that the connection is gone. The error mapping needs the reason.
      const cause = lost ?? error;
      if (client) await giveBack(runner, client, cause, abandon);
      else await runner.release();
      throw cause;
    }
  }
}

/** Keeps the slot of a connection until its backend has finished. */
type Abandon = (client: PoolClient) => void;

/** Rolls back and returns the connection to the pool. Ends a connection that does not respond; the pool discards it. */
async function giveBack(
  runner: QueryRunner,
  client: PoolClient,
  error: unknown,
  abandon: Abandon,
): Promise<void> {
  const end = (cause: unknown) => {
    if (isAbandoned(cause)) abandon(client);
    client.end().catch(() => undefined);
  };
  if (isConnectionError(error)) end(error);
  else if (runner.isTransactionActive) await runner.rollbackTransaction().catch(end);
  await runner.release();
}

/** A connection of the pool. @throws ApiError 503 if there is none, whatever the reason */
async function lent(runner: QueryRunner): Promise<PoolClient> {
  try {
    return (await runner.connect()) as PoolClient;
  } catch (cause) {
    throw databaseUnavailable(cause);
  }
}
