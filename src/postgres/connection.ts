import type { Writable } from 'node:stream';
import { Client } from 'pg';
import { away } from './away.js';
import { isConnectionError } from './error-code.js';
import { streamOf } from './pg-internals.js';
import { rowsOf } from './prepared-query.js';
import { retrying } from './retry.js';
import type { ResultRow, Statement } from './statement.js';
import { CONNECT_TIMEOUT_MS, sessionLimits, sessionSettings } from './session-settings.js';

const CLOSE_TIMEOUT_MS = 1000;

/** What sort of connection it is. */
export interface ConnectionOptions {
  readonly url: string;
  /** As PostgreSQL shows it, in `pg_stat_activity`. */
  readonly name: string;
  /** Longest that a statement may run, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** Whether statements are sent before the answers to earlier ones are there. */
  readonly pipeline: boolean;
  /** Further settings of the session, as PostgreSQL's `options`. */
  readonly settings?: string;
}

/** Runs a statement inside a transaction. */
export type Run = (statement: Statement) => Promise<ResultRow[]>;

/** A connection beside TypeORM's pool, made by the first statement, and anew by the next one after it broke. */
export class Connection {
  private client: Promise<Client> | null = null;
  private connected = false;

  constructor(private readonly options: ConnectionOptions) {}

  /** Whether it is connected now: not yet asked, still connecting or broken otherwise. */
  get isOpen(): boolean {
    return this.connected;
  }

  /**
   * One statement, tried again where that may help (retry.ts).
   * @throws ApiError 503 when there is no way to the server; pg's own errors for all else
   */
  async query(statement: Statement): Promise<ResultRow[]> {
    const client = await this.open();
    if (this.options.pipeline) this.gather(streamOf(client));
    return retrying(() => ask(client, statement));
  }

  /**
   * Runs `work` in a transaction: all of it is stored, or nothing when it throws. Nothing else may be asked of the
   * connection meanwhile.
   */
  async transaction<T>(work: (query: Run) => Promise<T>): Promise<T> {
    // All on this client: after a break another one would go on outside of the transaction.
    const client = await this.open();
    await ask(client, { text: 'BEGIN', values: [] });
    try {
      const result = await work((statement) => ask(client, statement));
      await ask(client, { text: 'COMMIT', values: [] });
      return result;
    } catch (error) {
      await ask(client, { text: 'ROLLBACK', values: [] }).catch(() => streamOf(client).destroy());
      throw error;
    }
  }

  /** Says goodbye to the server; a server that doesn't answer is left. */
  async close(): Promise<void> {
    const client = await this.client?.catch(() => null);
    if (!client) return;
    const timer = setTimeout(() => streamOf(client).destroy(), CLOSE_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  /** Statements that follow one another without a pause leave in one system call, when the last of them is there. */
  private gather(stream: Writable): void {
    if (stream.writableCorked) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  private open(): Promise<Client> {
    if (this.client) return this.client;
    // An error and the end that follows it may come apart, with a new client made in between.
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
    client.on('error', () => {
      lost();
      streamOf(client).destroy();
    });
    client.on('end', lost);
    try {
      await client.connect();
    } catch (cause) {
      lost();
      throw away(cause);
    }
    return client;
  }
}

async function ask(client: Client, statement: Statement): Promise<ResultRow[]> {
  try {
    return await rowsOf(client, statement);
  } catch (error) {
    // One that was given up waits for an answer still: whatever came after it would wait behind it.
    if (isConnectionError(error)) streamOf(client).destroy();
    throw error;
  }
}
