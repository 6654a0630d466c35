import { unavailable } from '../http/errors.js';
import { Connection } from './connection.js';
import type { ResultRow, Statement } from './statement.js';

/**
 * `point`: short reads by an index, many under way on one connection (PostgreSQL's pipelining), each planned once and by
 * an index whatever the statistics say. `list`: reads that may be slow, one at a time on a connection, so that none can
 * hold up or take down another.
 */
export type Lane = 'point' | 'list';

interface LaneLimits {
  readonly connections: number;
  readonly depth: number;
  readonly waiting: number;
  /** Settings of its sessions with PostgreSQL. */
  readonly settings: string;
}

/** Numbers of statements. */
export interface LaneLoad {
  readonly underWay: number;
  readonly waiting: number;
}

const READ_ONLY = '-c default_transaction_read_only=on';
/** Workers would make one slow read shorter and all of them dearer: starting them costs more than many a read. */
const ALONE = '-c max_parallel_workers_per_gather=0';
const BY_INDEX = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_sort=off -c jit=off';

const LANES: Readonly<Record<Lane, LaneLimits>> = {
  point: { connections: 2, depth: 500, waiting: 0, settings: `${READ_ONLY} ${BY_INDEX}` },
  list: { connections: 6, depth: 1, waiting: 500, settings: `${READ_ONLY} ${ALONE}` },
};

/**
 * Reads beside TypeORM, on a few connections of the engine's own. Its sessions are read-only: whatever writes, or waits
 * for a lock, belongs into a transaction (database.ts). A connection that breaks fails what is under way on it with
 * 503 and is made anew by the next read; more work than can wait is refused with 503.
 */
export class Reader {
  private readonly lanes: Readonly<Record<Lane, ReadLane>>;

  constructor(url: string, statementTimeoutMs: number) {
    const lane = (lane: Lane) => {
      const { depth, settings } = LANES[lane];
      const options = { url, name: `kindred-${lane}`, statementTimeoutMs, pipeline: depth > 1, settings };
      return new ReadLane(LANES[lane], () => new Connection(options));
    };
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

/** Statements that follow one another to one connection: more of them had better be worked off by two. */
const MOST_TOGETHER = 16;

/** Some connections of one sort, and a queue in front of them. */
class ReadLane {
  private readonly places: readonly Place[];
  private readonly queue: ((place: Place) => void)[] = [];
  /** Where the statements go that are asked for at one go: they leave in one system call. */
  private recent: Place | null = null;
  private together = 0;

  constructor(
    private readonly limits: LaneLimits,
    make: () => Connection,
  ) {
    this.places = Array.from({ length: limits.connections }, () => new Place(make()));
  }

  async query(statement: Statement): Promise<ResultRow[]> {
    const place = this.take() ?? (await this.turn());
    try {
      return await place.connection.query(statement);
    } finally {
      // Whoever has waited longest gets the place, before anybody who comes now.
      const next = this.queue.shift();
      if (next) next(place);
      else place.underWay--;
    }
  }

  load(): LaneLoad {
    const underWay = this.places.reduce((sum, place) => sum + place.underWay, 0);
    return { underWay, waiting: this.queue.length };
  }

  async close(): Promise<void> {
    await Promise.all(this.places.map(({ connection }) => connection.close()));
  }

  /** A place on a connection; null when all are full. */
  private take(): Place | null {
    const isRoom = this.recent && this.recent.underWay < this.limits.depth && this.together < MOST_TOGETHER;
    if (!isRoom) this.choose();
    const place = this.recent;
    if (place) {
      place.underWay++;
      this.together++;
    }
    return place;
  }

  /** Makes the connection with the least under way the one for what follows without a pause. */
  private choose(): void {
    this.recent = null;
    this.together = 0;
    for (const place of this.places) {
      if (place.underWay < (this.recent?.underWay ?? this.limits.depth)) this.recent = place;
    }
    if (this.recent) process.nextTick(() => (this.recent = null));
  }

  private turn(): Promise<Place> {
    if (this.queue.length >= this.limits.waiting) throw overloaded();
    return new Promise((resolve) => this.queue.push(resolve));
  }
}

/** A connection, and how many statements have a place on it. */
class Place {
  underWay = 0;

  constructor(readonly connection: Connection) {}
}

function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
