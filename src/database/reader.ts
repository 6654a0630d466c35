import { Client } from 'pg';
import { unavailable } from '../http/errors.js';
import { ENGINE_TYPES, SESSION_OPTIONS } from './pg-values.js';

/** A statement: `$1`… in `text` stand for `values`. A `name` makes PostgreSQL prepare it once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type ResultRow = Record<string, unknown>;

/** Short statements by key never wait behind a slow list: the two kinds of work have connections of their own. */
export type Lane = 'point' | 'list';

const CONNECTIONS: Readonly<Record<Lane, number>> = { point: 2, list: 4 };
const CONNECT_TIMEOUT_MS = 3000;
/** Statements waiting for answers on one connection; beyond it the service says 503 instead of queueing on. */
const MOST_IN_FLIGHT = 500;

/**
 * Reads beside TypeORM: a few connections that many requests share, each with many statements under way
 * (PostgreSQL's pipelining), so nothing waits for a free one. Only single statements go here; transactions have
 * the pool. A connection that breaks fails what is under way on it with 503 and is made anew by the next read.
 */
export class Reader {
  private readonly lanes: Readonly<Record<Lane, Connection[]>>;
  private next = 0;

  constructor(url: string, statementTimeoutMs: number) {
    const make = (n: number) => Array.from({ length: n }, () => new Connection(url, statementTimeoutMs));
    this.lanes = { point: make(CONNECTIONS.point), list: make(CONNECTIONS.list) };
  }

  /** @throws ApiError 503; pg's own errors for what the statement did wrong. */
  async query(lane: Lane, statement: Statement): Promise<ResultRow[]> {
    const connections = this.lanes[lane];
    const connection = connections[this.next++ % connections.length];
    if (!connection) throw unavailable();
    return connection.query(statement);
  }

  async close(): Promise<void> {
    await Promise.all([...this.lanes.point, ...this.lanes.list].map((connection) => connection.close()));
  }
}

class Connection {
  private client: Promise<Client> | null = null;
  private inFlight = 0;

  constructor(
    private readonly url: string,
    private readonly statementTimeoutMs: number,
  ) {}

  async query(statement: Statement): Promise<ResultRow[]> {
    if (this.inFlight >= MOST_IN_FLIGHT) throw unavailable('The service is overloaded. Try again shortly.');
    this.inFlight++;
    try {
      this.client ??= this.connect();
      const client = await this.client;
      const result = await client.query<ResultRow>({ ...statement, values: [...statement.values] });
      return result.rows;
    } finally {
      this.inFlight--;
    }
  }

  async close(): Promise<void> {
    const client = await this.client?.catch(() => null);
    await client?.end();
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.url,
      pipeline: true,
      types: ENGINE_TYPES,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: this.statementTimeoutMs,
      // The server's own limit comes first; this one is for a server that no longer answers at all, and
      // gives the connection up with everything on it.
      query_timeout: this.statementTimeoutMs + 1000,
      options: SESSION_OPTIONS,
      application_name: 'kindred-reader',
      keepAlive: true,
    });
    const lost = () => {
      this.client = null;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
    } catch (cause) {
      lost();
      throw unavailable(undefined, cause);
    }
    return client;
  }
}
