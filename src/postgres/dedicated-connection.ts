import { unavailable } from '../common/errors.js';
import { Connection, type Run } from './connection.js';
import type { ResultRow, Statement } from './statement.js';
import { withRetries } from './retry.js';

/**
 * A connection for a single part of the service, which then neither waits for other parts nor delays them. Statements and
 * transactions run in order, one at a time.
 */
export class DedicatedConnection {
  private readonly connection: Connection;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(url: string, statementTimeoutMs: number, name: string) {
    this.connection = new Connection({ url, name, statementTimeoutMs, pipeline: false });
  }

  /** Runs one statement as a transaction of its own. @throws ApiError 503; pg's own errors */
  query(statement: Statement): Promise<ResultRow[]> {
    return this.inOrder(() => this.connection.query(statement));
  }

  /** Like `Database.transaction`: stores all of `work` or nothing, and may run it again from the start. */
  transaction<T>(work: (query: Run) => Promise<T>): Promise<T> {
    return this.inOrder(() => withRetries(() => this.connection.transaction(work)));
  }

  /** Closes the connection after all pending work. Later calls are refused with 503. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    const closed = this.inOrder(() => this.connection.close());
    this.isClosed = true;
    await closed;
  }

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    // A statement would open the connection again, and nothing would close it.
    if (this.isClosed) return Promise.reject(unavailable('The service is stopping.'));
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** Makes dedicated connections to the service's database. */
export class DedicatedConnections {
  constructor(
    private readonly url: string,
    private readonly statementTimeoutMs: number,
  ) {}

  /**
   * @param name as PostgreSQL shows it, in `pg_stat_activity`
   * @param statementTimeoutMs the time limit of a statement, if it differs from the usual one
   */
  make(name: string, statementTimeoutMs = this.statementTimeoutMs): DedicatedConnection {
    return new DedicatedConnection(this.url, statementTimeoutMs, name);
  }
}
