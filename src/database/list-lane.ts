import { FairQueue, type Waiting } from '../async/fair-queue.js';
import { unavailable } from '../http/errors.js';
import { type Asker, THE_SERVICE } from './asker.js';
import type { Connection } from './connection.js';
import type { ResultRow, Statement } from './statement.js';

/** A read that has a connection, or waits for one. */
interface Read extends Waiting {
  readonly table: string;
  readonly go: (place: Connection) => void;
}

/** Which reads run, by what they have in common. */
class Running {
  private readonly numbers = new Map<string, number>();

  of(key: string): number {
    return this.numbers.get(key) ?? 0;
  }

  add(key: string, change: 1 | -1): void {
    const number = this.of(key) + change;
    if (number) this.numbers.set(key, number);
    else this.numbers.delete(key);
  }
}

/** How the lane is set up. */
export interface ListLaneOptions {
  /** Reads that may wait. */
  readonly waiting: number;
  /** Longest that one waits, in milliseconds. */
  readonly patienceMs: number;
}

/**
 * Reads that may be slow, one at a time on a connection. The connections go round between those who ask, and neither one
 * who asks nor the reads of one table get all of them: the more of them run, the more must be free for the next
 * (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class ListLane {
  private readonly free: Connection[];
  private readonly all: readonly Connection[];
  private readonly queue: FairQueue<Read>;
  private readonly shares = new Running();
  private readonly tables = new Running();

  constructor(
    connections: readonly Connection[],
    private readonly options: ListLaneOptions,
  ) {
    this.all = connections;
    this.free = [...connections];
    this.queue = new FairQueue(options.waiting);
  }

  /** @throws ApiError 503 when it would wait too long, or too many wait; pg's own errors */
  async query(statement: Statement, asker: Asker = THE_SERVICE): Promise<ResultRow[]> {
    const { share } = asker;
    const { table = '' } = statement;
    const connection = this.queue.size || !this.mayRun(share, table) ? null : this.free.pop();
    if (connection) this.count(share, table, 1);
    const place = connection ?? (await this.turn(share, table, asker));
    try {
      return await place.query(statement);
    } finally {
      this.free.push(place);
      this.count(share, table, -1);
      this.next();
    }
  }

  load(): { underWay: number; waiting: number } {
    return { underWay: this.all.length - this.free.length, waiting: this.queue.size };
  }

  /** What waits is refused, and what is under way ends with its connection. */
  async close(): Promise<void> {
    for (let read = this.queue.shift(() => true); read; read = this.queue.shift(() => true)) read.drop();
    await Promise.all(this.all.map((connection) => connection.close()));
  }

  private count(share: string, table: string, change: 1 | -1): void {
    this.shares.add(share, change);
    this.tables.add(table, change);
  }

  /** Whether a connection may go to this one: of six, at most four go to one, and one always stays for somebody new. */
  private mayRun(share: string, table: string): boolean {
    const free = this.free.length;
    const fits = (running: number) => running === 0 || running < 2 * (free - 1);
    return free > 0 && fits(this.shares.of(share)) && (table === '' || fits(this.tables.of(table)));
  }

  private next(): void {
    while (this.free.length) {
      const read = this.queue.shift(({ share, table }) => this.mayRun(share, table));
      const place = read && this.free.pop();
      if (!place) return;
      this.count(read.share, read.table, 1);
      read.go(place);
    }
  }

  private turn(share: string, table: string, asker: Asker): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const drop = () => {
        clearTimeout(timer);
        reject(overloaded());
      };
      const go = (place: Connection) => {
        clearTimeout(timer);
        resolve(place);
      };
      const read: Read = { share, table, isGone: () => asker.isGone(), drop, go };
      const timer = setTimeout(() => {
        this.queue.remove(read);
        drop();
      }, this.options.patienceMs);
      if (!this.queue.push(read)) drop();
      // Others may wait for what this one does not need.
      else this.next();
    });
  }
}

/** 503: more is asked for than the connections can do. */
export function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
