import { Client } from 'pg';
import { unavailable } from '../http/errors.js';
import { ENGINE_TYPES } from './pg-values.js';
import { sessionSettings } from './session-settings.js';

/** A statement: `$1`… in `text` stand for `values`. A `name` makes PostgreSQL prepare it once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type ResultRow = Record<string, unknown>;

/**
 * `point`: short reads by key, many under way on one connection (PostgreSQL's pipelining). `list`: reads that may be
 * slow, one at a time on a connection, so that none can hold up or take down another.
 */
export type Lane = 'point' | 'list';

/** Numbers of statements. */
export interface LaneLoad {
  readonly underWay: number;
  readonly waiting: number;
}

const LANES = {
  point: { connections: 2, depth: 500, waiting: 0 },
  list: { connections: 6, depth: 1, waiting: 500 },
} as const satisfies Record<Lane, { connections: number; depth: number; waiting: number }>;

const CONNECT_TIMEOUT_MS = 3000;
const CLOSE_TIMEOUT_MS = 1000;
/** A dead peer is noticed by then even while nothing is asked of it. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Reads beside TypeORM, on a few connections of the engine's own. Its sessions are read-only: whatever writes, or waits
 * for a lock, belongs into a transaction (database.ts). A connection that breaks fails what is under way on it with
 * 503 and is made anew by the next read; more work than can wait is refused with 503.
 */
export class Reader {
  private readonly lanes: Readonly<Record<Lane, ReadLane>>;

  constructor(url: string, statementTimeoutMs: number) {
    const lane = (name: Lane) =>
      new ReadLane(LANES[name], () => new Connection(url, statementTimeoutMs, name));
    this.lanes = { point: lane('point'), list: lane('list') };
  }

  /** @throws ApiError 503; pg's own errors for what the statement did wrong. */
  query(lane: Lane, statement: Statement): Promise<ResultRow[]> {
    return this.lanes[lane].query(statement);
  }

  /** What is under way now, and what waits for its turn. */
  load(): Record<Lane, LaneLoad> {
    return { point: this.lanes.point.load(), list: this.lanes.list.load() };
  }

  async close(): Promise<void> {
    await Promise.all([this.lanes.point.close(), this.lanes.list.close()]);
  }
}

/** Some connections of one sort, and a queue in front of them. */
class ReadLane {
  private readonly connections: readonly Connection[];
  private readonly queue: ((connection: Connection) => void)[] = [];

  constructor(
    private readonly limits: { connections: number; depth: number; waiting: number },
    make: () => Connection,
  ) {
    this.connections = Array.from({ length: limits.connections }, make);
  }

  async query(statement: Statement): Promise<ResultRow[]> {
    const connection = this.take() ?? (await this.turn());
    try {
      return await connection.query(statement);
    } finally {
      // Whoever has waited longest gets the place, before anybody who comes now.
      const next = this.queue.shift();
      if (next) next(connection);
      else connection.underWay--;
    }
  }

  load(): LaneLoad {
    const underWay = this.connections.reduce((sum, connection) => sum + connection.underWay, 0);
    return { underWay, waiting: this.queue.length };
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  /** A place on the connection with the least under way; null when all are full. */
  private take(): Connection | null {
    let least: Connection | null = null;
    for (const connection of this.connections) {
      if (connection.underWay < (least?.underWay ?? this.limits.depth)) least = connection;
    }
    if (least) least.underWay++;
    return least;
  }

  private turn(): Promise<Connection> {
    if (this.queue.length >= this.limits.waiting) throw overloaded();
    return new Promise((resolve) => this.queue.push(resolve));
  }
}

class Connection {
  /** Statements that have a place here; kept by the lane. */
  underWay = 0;
  private client: Promise<Client> | null = null;

  constructor(
    private readonly url: string,
    private readonly statementTimeoutMs: number,
    private readonly lane: Lane,
  ) {}

  async query(statement: Statement): Promise<ResultRow[]> {
    const client = await this.open();
    const result = await client.query<ResultRow>({ ...statement, values: [...statement.values] });
    return result.rows;
  }

  /** Says goodbye to the server; a server that doesn't answer is left. */
  async close(): Promise<void> {
    const client = await this.client?.catch(() => null);
    if (!client) return;
    const timer = setTimeout(() => client.connection.stream.destroy(), CLOSE_TIMEOUT_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  private open(): Promise<Client> {
    if (this.client) return this.client;
    // An error and the end that follows it may come apart, with a new client made in between.
    const opening = this.connect(() => {
      if (this.client === opening) this.client = null;
    });
    this.client = opening;
    return opening;
  }

  private async connect(lost: () => void): Promise<Client> {
    const client = new Client({
      ...sessionSettings(this.url, '-c default_transaction_read_only=on'),
      pipeline: LANES[this.lane].depth > 1,
      types: ENGINE_TYPES,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: this.statementTimeoutMs,
      // The server's own limit comes first; this one is for a server that no longer answers at all, and gives the
      // connection up with everything on it.
      query_timeout: this.statementTimeoutMs + 1000,
      application_name: `kindred-${this.lane}`,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('error', () => {
      lost();
      client.connection.stream.destroy();
    });
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

function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
