import { FairQueue, type Waiting } from '../async/fair-queue.js';
import { unavailable } from '../http/errors.js';
import type { Asker } from './asker.js';

/** What waits for a place. */
interface Waiter<P> extends Waiting {
  readonly table: string;
  readonly go: (place: P) => void;
}

/** How many have a place, by what they have in common. */
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

/** How many may wait, and how long. */
export interface Patience {
  readonly waiting: number;
  /** Longest that one waits, in milliseconds. */
  readonly patienceMs: number;
}

/**
 * Places that each serve one at a time. They go round between those who ask, and neither one who asks nor what is about one
 * table gets all of them: the more of it has a place, the more must be free for the next
 * (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class FairPlaces<P> {
  private readonly free: P[];
  private readonly all: number;
  private readonly queue: FairQueue<Waiter<P>>;
  private readonly shares = new Running();
  private readonly tables = new Running();

  constructor(
    places: readonly P[],
    private readonly patience: Patience,
  ) {
    this.all = places.length;
    this.free = [...places];
    this.queue = new FairQueue(patience.waiting);
  }

  /**
   * Does something that needs a place. @param table what it is about; empty where that does not count
   * @throws ApiError 503 when it would wait too long, or too many wait
   */
  async run<T>(table: string, asker: Asker, work: (place: P) => Promise<T>): Promise<T> {
    const { share } = asker;
    // Whoever has waited longer goes first, but for what could not go anyway.
    const mayGo = !this.queue.size && this.mayRun(share, table);
    const place = mayGo ? this.take(share, table) : await this.turn(share, table, asker);
    try {
      return await work(place);
    } finally {
      this.free.push(place);
      this.shares.add(share, -1);
      this.tables.add(table, -1);
      this.next();
    }
  }

  load(): { underWay: number; waiting: number } {
    return { underWay: this.all - this.free.length, waiting: this.queue.size };
  }

  /** Refuses what waits. */
  close(): void {
    for (let one = this.queue.shift(() => true); one; one = this.queue.shift(() => true)) one.drop();
  }

  private take(share: string, table: string): P {
    this.shares.add(share, 1);
    this.tables.add(table, 1);
    return this.free.pop() as P;
  }

  /** Whether a place may go to this one: of six, at most four go to one, and one always stays for somebody new. */
  private mayRun(share: string, table: string): boolean {
    const free = this.free.length;
    const fits = (running: number) => running === 0 || running < 2 * (free - 1);
    return free > 0 && fits(this.shares.of(share)) && (table === '' || fits(this.tables.of(table)));
  }

  private next(): void {
    while (this.free.length && this.queue.size) {
      const one = this.queue.shift(({ share, table }) => this.mayRun(share, table));
      if (!one) return;
      one.go(this.take(one.share, one.table));
    }
  }

  private turn(share: string, table: string, asker: Asker): Promise<P> {
    return new Promise((resolve, reject) => {
      const drop = () => {
        clearTimeout(timer);
        reject(overloaded());
      };
      const go = (place: P) => {
        clearTimeout(timer);
        resolve(place);
      };
      const one: Waiter<P> = { share, table, isGone: () => asker.isGone(), drop, go };
      const timer = setTimeout(() => {
        this.queue.remove(one);
        drop();
      }, this.patience.patienceMs);
      if (!this.queue.push(one)) drop();
      // Others may wait for what this one does not need.
      else this.next();
    });
  }
}

/** 503: more is asked for than the connections can do. */
export function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
