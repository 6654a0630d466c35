import type { Asker } from '../common/asker.js';
import type { Verdict } from '../common/fair-queue.js';
import { type Patience, type Supply, Turns } from './turns.js';

/** How many have a slot, by what they have in common; what has no name has nothing in common. */
class Running {
  private readonly numbers = new Map<string, number>();

  of(key: string): number {
    return this.numbers.get(key) ?? 0;
  }

  add(key: string, change: 1 | -1): void {
    if (key === '') return;
    const number = this.of(key) + change;
    if (number) this.numbers.set(key, number);
    else this.numbers.delete(key);
  }
}

/**
 * Places that each serve one at a time. They go round between those who ask, and neither one who asks nor what is about one
 * table gets all of them: the more of it has a slot, the more must be free for the next
 * (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class FairSlots<P> implements Supply<string> {
  private readonly free: P[];
  private readonly all: number;
  /** Places that nobody has, nor is about to take. */
  private open: number;
  private readonly turns: Turns<string>;
  private readonly shares = new Running();
  private readonly tables = new Running();

  constructor(slots: readonly P[], patience: Patience) {
    this.free = [...slots];
    this.all = this.open = slots.length;
    this.turns = new Turns(this, patience);
  }

  /**
   * Does something that needs a slot.
   * @param table what it is about; empty where that does not count
   * @param asker for whom it is; the service itself may have all slots
   * @throws ApiError 503 when it would wait too long, or too many wait
   */
  async run<T>(table: string, asker: Asker, work: (slot: P) => Promise<T>): Promise<T> {
    const turn = this.turns.enter(table, asker);
    if (turn) await turn;
    const slot = this.free.pop() as P;
    try {
      return await work(slot);
    } finally {
      this.free.push(slot);
      this.count(table, asker, -1);
      this.turns.next();
    }
  }

  load(): { underWay: number; waiting: number } {
    return { underWay: this.all - this.open, waiting: this.turns.waiting };
  }

  /** Refuses what waits. */
  close(): void {
    this.turns.close();
  }

  /** Of six slots, at most four go to one, and one always stays for somebody new. */
  judge(table: string, { share }: Asker): Verdict {
    if (this.open === 0) return 'all wait';
    const fits = (running: number) => running === 0 || running < 2 * (this.open - 1);
    if (share !== '' && !fits(this.shares.of(share))) return 'share waits';
    return table === '' || fits(this.tables.of(table)) ? 'go' : 'wait';
  }

  take(table: string, asker: Asker): void {
    this.count(table, asker, 1);
  }

  private count(table: string, { share }: Asker, change: 1 | -1): void {
    this.open -= change;
    this.shares.add(share, change);
    this.tables.add(table, change);
  }
}
