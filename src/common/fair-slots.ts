import type { Requester } from './requester.js';
import type { Verdict } from './fair-queue.js';
import { type QueueLimits, type Capacity, AdmissionQueue } from './admission-queue.js';

/** Counts occupied slots by key. The empty key is not counted. */
class Counts {
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
 * Slots that each serve one task at a time, shared fairly. Neither one requester nor one table gets all of them: the more
 * slots it occupies, the more must be free before it gets another one
 * (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class FairSlots<P> implements Capacity<string> {
  private readonly free: P[];
  private readonly total: number;
  /** Slots that are neither occupied nor promised to an admitted task. */
  private available: number;
  private readonly queue: AdmissionQueue<string>;
  private readonly byKey = new Counts();
  private readonly tables = new Counts();

  constructor(slots: readonly P[], limits: QueueLimits) {
    this.free = [...slots];
    this.total = this.available = slots.length;
    this.queue = new AdmissionQueue(this, limits);
  }

  /**
   * Runs a task in a slot. The slot is released when the task ends or, if it calls `hold`, when that promise settles.
   * @param table the table that it reads or writes; empty if that does not matter
   * @param requester the service itself may occupy all slots
   * @throws ApiError 503 after the time limit, or if the queue is full
   */
  async run<T>(
    table: string,
    requester: Requester,
    work: (slot: P, hold: (until: Promise<void>) => void) => Promise<T>,
  ): Promise<T> {
    // What waits already would have been admitted if it could: a task that can go overtakes none of it.
    if (this.isFree(table, requester)) this.acquire(table, requester);
    else await this.queue.admit(table, requester);
    const slot = this.free.pop() as P;
    const held: Promise<void>[] = [];
    const release = () => {
      this.free.push(slot);
      this.count(table, requester, -1);
      this.queue.admitWaiting();
    };
    try {
      return await work(slot, (until) => held.push(until));
    } finally {
      if (held.length) void Promise.allSettled(held).then(release);
      else release();
    }
  }

  load(): { underWay: number; waiting: number } {
    return { underWay: this.total - this.available, waiting: this.queue.waiting };
  }

  /** Whether a task would get a slot at once. */
  isFree(table: string, requester: Requester): boolean {
    return this.check(table, requester) === 'go';
  }

  /** Refuses all waiting tasks. */
  close(): void {
    this.queue.close();
  }

  /**
   * Of six slots, one key gets at most four, and one stays free for a new key. One table gets at most four as well, and one
   * key three of these.
   */
  check(table: string, { fairnessKey }: Requester): Verdict {
    if (this.available === 0) return 'all wait';
    const fits = (running: number, more = 0) =>
      running === 0 || running + more < 2 * (this.available - 1 - more);
    if (fairnessKey !== '' && !fits(this.byKey.of(fairnessKey))) return 'key waits';
    // A key that has a slot already leaves one more of those that the table may have.
    const left = fairnessKey !== '' && this.byKey.of(fairnessKey) > 0 ? 1 : 0;
    return table === '' || fits(this.tables.of(table), left) ? 'go' : 'wait';
  }

  acquire(table: string, requester: Requester): void {
    this.count(table, requester, 1);
  }

  private count(table: string, { fairnessKey }: Requester, change: 1 | -1): void {
    this.available -= change;
    this.byKey.add(fairnessKey, change);
    this.tables.add(table, change);
  }
}
