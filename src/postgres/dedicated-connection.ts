import { unavailable } from '../common/errors.js';
import { Connection, type Run } from './connection.js';
import type { ResultRow, Statement } from './statement.js';
import { retrying } from './retry.js';

/**
 * One connection that reads and writes for a single part of the service, so that this part waits for nobody else's work
 * and keeps nobody else waiting. What is asked of it is done in order, one thing at a time.
 */
export class DedicatedConnection {
  private readonly connection: Connection;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(url: string, statementTimeoutMs: number, name: string) {
    this.connection = new Connection({ url, name, statementTimeoutMs, pipeline: false });
  }

  /** One statement, which is a transaction by itself. @throws ApiError 503; pg's own errors */
  query(statement: Statement): Promise<ResultRow[]> {
    return this.inTurn(() => this.connection.query(statement));
  }

  /** As `Database.transaction`: all of `work` is stored, or nothing; it may be run again from the start. */
  transaction<T>(work: (query: Run) => Promise<T>): Promise<T> {
    return this.inTurn(() => retrying(() => this.connection.transaction(work)));
  }

  /** After what has been asked for is done; what is asked for later is refused with 503. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    const closed = this.inTurn(() => this.connection.close());
    this.isClosed = true;
    await closed;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    // A statement would make the connection anew, which nobody would close.
    if (this.isClosed) return Promise.reject(unavailable('The service is stopping.'));
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

/** Makes dedicated connections to the service's database. */
export class DedicatedConnections {
  constructor(
    private readonly url: string,
    private readonly statementTimeoutMs: number,
  ) {}

  /**
   * @param name as PostgreSQL shows it
   * @param statementTimeoutMs longest that a statement may run, where it is not as for everybody
   */
  make(name: string, statementTimeoutMs = this.statementTimeoutMs): DedicatedConnection {
    return new DedicatedConnection(this.url, statementTimeoutMs, name);
  }
}
