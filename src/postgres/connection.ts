import type { Writable } from 'node:stream';
import { Client } from 'pg';
import { databaseUnavailable } from './database-unavailable.js';
import { isConnectionError } from './error-code.js';
import { processIdOf, streamOf } from './pg-internals.js';
import { rowsOf } from './prepared-query.js';
import { withRetries } from './retry.js';
import type { ResultRow, Statement } from './statement.js';
import { CONNECT_TIMEOUT_MS, sessionLimits, sessionSettings } from './session-settings.js';

const CLOSE_TIMEOUT_MS = 1000;

/** Options of a connection. */
export interface ConnectionOptions {
  readonly url: string;
  /** As PostgreSQL shows it, in `pg_stat_activity`. */
  readonly name: string;
  /** The time limit of a statement, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** Whether statements are sent before the results of earlier ones have arrived. */
  readonly pipeline: boolean;
  /** Further settings of the session, as PostgreSQL's `options`. */
  readonly settings?: string;
}

/** Runs a statement inside a transaction. */
export type Run = (statement: Statement) => Promise<ResultRow[]>;

/** A connection outside of TypeORM's pool. The first statement opens it; the next one after a break opens it again. */
export class Connection {
  private client: Promise<Client> | null = null;
  private connected = false;
  private lastProcessId = 0;
  /** What to call when a client is lost; more than once does no harm. */
  private readonly lost = new WeakMap<Client, () => void>();

  constructor(private readonly options: ConnectionOptions) {}

  /** Whether it is connected now. False before the first statement, while connecting, and after a break. */
  get isOpen(): boolean {
    return this.connected;
  }

  /** The process id of its backend, or of the last one after a break; 0 before the first. */
  get processId(): number {
    return this.lastProcessId;
  }

  /**
   * Runs one statement, and retries it where that may help (retry.ts).
   * @throws ApiError 503 when the server is unreachable; pg's own errors otherwise
   */
  async query(statement: Statement): Promise<ResultRow[]> {
    const client = await this.open();
    if (this.options.pipeline) this.gather(streamOf(client));
    return withRetries(() => this.ask(client, statement));
  }

  /**
   * Runs `work` in a transaction. Nothing is stored if it throws. The connection must not be used for anything else
   * meanwhile.
   */
  async transaction<T>(work: (query: Run) => Promise<T>): Promise<T> {
    // Use one client throughout: after a break, a new one would continue outside of the transaction.
    const client = await this.open();
    await this.ask(client, { text: 'BEGIN', values: [] });
    try {
      const result = await work((statement) => this.ask(client, statement));
      await this.ask(client, { text: 'COMMIT', values: [] });
      return result;
    } catch (error) {
      await this.ask(client, { text: 'ROLLBACK', values: [] }).catch(() => this.drop(client));
      throw error;
    }
  }

  /** Closes the connection. Does not wait long for a server that does not respond. */
  async close(): Promise<void> {
    const client = await this.client?.catch(() => null);
    if (!client) return;
    const timer = setTimeout(() => streamOf(client).destroy(), CLOSE_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  private async ask(client: Client, statement: Statement): Promise<ResultRow[]> {
    try {
      return await rowsOf(client, statement);
    } catch (error) {
      // The server may still be working on the abandoned statement: later ones would wait behind it.
      if (isConnectionError(error)) this.drop(client);
      throw error;
    }
  }

  /** Ends a client that is of no use any more. The next statement opens a new one: the events of this one come later. */
  private drop(client: Client): void {
    this.lost.get(client)?.();
    streamOf(client).destroy();
  }

  /** Writes all statements of one tick in one system call. */
  private gather(stream: Writable): void {
    if (stream.writableCorked) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  private open(): Promise<Client> {
    if (this.client) return this.client;
    // The `error` and `end` events may come apart, with a new client created in between.
    const opening = this.connect(() => {
      if (this.client !== opening) return;
      this.client = null;
      this.connected = false;
    });
    this.client = opening;
    opening.then(
      () => (this.connected = this.client === opening),
      () => undefined,
    );
    return opening;
  }

  private async connect(lost: () => void): Promise<Client> {
    const { url, name, statementTimeoutMs, pipeline, settings } = this.options;
    const client = new Client({
      ...sessionSettings(url, settings),
      pipeline,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...sessionLimits(statementTimeoutMs),
      application_name: name,
    });
    this.lost.set(client, lost);
    client.on('error', () => this.drop(client));
    client.on('end', lost);
    try {
      await client.connect();
      this.lastProcessId = processIdOf(client);
    } catch (cause) {
      lost();
      throw databaseUnavailable(cause);
    }
    return client;
  }
}
