import { FairQueue, type Verdict, type QueueItem } from './fair-queue.js';
import { unavailable } from './errors.js';
import type { Requester } from './requester.js';

/** Limits of an {@link AdmissionQueue}. */
export interface QueueLimits {
  readonly maxWaiting: number;
  /** The longest wait, in milliseconds. */
  readonly timeoutMs: number;
  /** Fairness keys with a lower rank are admitted before all others; by default all are equal. */
  readonly rank?: (fairnessKey: string) => number;
}

/** A limited resource. It changes only in `acquire`, and before a call of {@link AdmissionQueue.admitWaiting}. */
export interface Capacity<C> {
  /** Whether the claim may be admitted now and, if not, what else has to wait with it. */
  check(claim: C, requester: Requester): Verdict;
  /** Takes the resource. Called right after `check` has returned `go`. */
  acquire(claim: C, requester: Requester): void;
}

interface Waiter<C> extends QueueItem {
  readonly claim: C;
  readonly requester: Requester;
  readonly admitted: () => void;
}

/**
 * Admission control for a limited resource. Waiting claims are admitted round robin by fairness key, dropped when their
 * client disconnects, and refused after a time limit (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class AdmissionQueue<C> {
  private readonly queue: FairQueue<Waiter<C>>;

  constructor(
    private readonly capacity: Capacity<C>,
    private readonly limits: QueueLimits,
  ) {
    this.queue = new FairQueue(limits.maxWaiting, limits.rank);
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** How many claims of a fairness key wait. */
  waitingOf(fairnessKey: string): number {
    return this.queue.sizeOf(fairnessKey);
  }

  /**
   * Acquires the resource, now or after a wait.
   * @returns null if it was acquired at once; otherwise a promise to await
   * @throws ApiError 503 after the time limit, or if the queue is full
   */
  admit(claim: C, requester: Requester): Promise<void> | null {
    // Earlier claims go first, unless they have to wait anyway.
    if (this.queue.size || this.capacity.check(claim, requester) !== 'go') return this.wait(claim, requester);
    this.capacity.acquire(claim, requester);
    return null;
  }

  /** Admits waiting claims. Call it when the resource was released. */
  admitWaiting(): void {
    while (this.queue.size) {
      const one = this.queue.shift(({ claim, requester }) => this.capacity.check(claim, requester));
      if (!one) return;
      this.capacity.acquire(one.claim, one.requester);
      one.admitted();
    }
  }

  /** Refuses all waiting claims. */
  close(): void {
    const admitWaiting = () => this.queue.shift(() => 'go');
    for (let one = admitWaiting(); one; one = admitWaiting()) one.drop();
  }

  private wait(claim: C, requester: Requester): Promise<void> {
    return new Promise((resolve, reject) => {
      const drop = () => {
        clearTimeout(timer);
        reject(overloaded());
      };
      const admitted = () => {
        clearTimeout(timer);
        resolve();
      };
      const one: Waiter<C> = {
        fairnessKey: requester.fairnessKey,
        claim,
        requester,
        isGone: () => requester.isGone(),
        drop,
        admitted,
      };
      const timer = setTimeout(() => {
        this.queue.remove(one);
        drop();
      }, this.limits.timeoutMs);
      if (!this.queue.push(one)) drop();
      // The earlier claims may wait for something that this one does not need.
      else this.admitWaiting();
    });
  }
}

/** 503: the service is overloaded. */
export function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
