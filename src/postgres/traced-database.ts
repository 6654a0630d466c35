import type { DataSource } from 'typeorm';
import type { Tracing } from '../common/tracing.js';
import type { Requester } from '../common/requester.js';
import { Database, type Transaction } from './database.js';
import type { FairSlots } from '../common/fair-slots.js';
import type { ReadPool, Reader } from './reader.js';
import type { ReadStatement, ResultRow, Statement } from './statement.js';

/**
 * The database of a service that is traced: a span for every statement of the engine and every transaction. Reads and
 * writes of one turn of the event loop that share a statement (batch-loader.ts, shared-writes.ts) stand under the request that
 * came first; what services do by TypeORM's manager is part of the transaction's span.
 */
export class TracedDatabase extends Database {
  constructor(
    dataSource: DataSource,
    reader: Reader,
    slots: FairSlots<null>,
    private readonly tracing: Tracing,
  ) {
    super(dataSource, reader, slots);
  }

  override read(pool: ReadPool, statement: ReadStatement, requester?: Requester): Promise<ResultRow[]> {
    return this.tracing.statement(statement, () => super.read(pool, statement, requester));
  }

  override write(
    statement: Statement,
    requester?: Requester,
    now?: () => Statement | null,
  ): Promise<ResultRow[]> {
    return this.tracing.statement(statement, () => super.write(statement, requester, now));
  }

  override transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    table?: string,
    requester?: Requester,
  ): Promise<T> {
    return this.tracing.transaction(() =>
      super.transaction(
        (tx) =>
          work({
            manager: tx.manager,
            query: (statement) => this.tracing.statement(statement, () => tx.query(statement)),
          }),
        table,
        requester,
      ),
    );
  }
}
