import { FairQueue, type Verdict, type Waiting } from '../common/fair-queue.js';
import { unavailable } from '../common/errors.js';
import type { Asker } from '../common/asker.js';

/** How many may wait, and how long. */
export interface Patience {
  readonly waiting: number;
  /** Longest that one waits, in milliseconds. */
  readonly patienceMs: number;
}

/** What there is not enough of. It changes only by `take`, and before {@link Turns.next} is called. */
export interface Supply<C> {
  /** Whether there is enough for this claim now, and who waits with it if there is not. */
  judge(claim: C, asker: Asker): Verdict;
  /** Takes it. Called where `judge` has just said that it may. */
  take(claim: C, asker: Asker): void;
}

interface Waiter<C> extends Waiting {
  readonly claim: C;
  readonly asker: Asker;
  readonly go: () => void;
}

/**
 * Those who wait for something of which there is not enough: it goes round between the askers' shares, whoever is gone is
 * dropped, and nobody waits for long (docs/decisions/0013-slow-reads-take-turns.md).
 */
export class Turns<C> {
  private readonly queue: FairQueue<Waiter<C>>;

  constructor(
    private readonly supply: Supply<C>,
    private readonly patience: Patience,
  ) {
    this.queue = new FairQueue(patience.waiting);
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Takes what is claimed, now or when its turn has come.
   * @returns null when it has been taken; else to be waited for
   * @throws ApiError 503 when it would wait too long, or too many wait
   */
  enter(claim: C, asker: Asker): Promise<void> | null {
    // Whoever has waited longer goes first, but for what could not go anyway.
    if (this.queue.size || this.supply.judge(claim, asker) !== 'go') return this.wait(claim, asker);
    this.supply.take(claim, asker);
    return null;
  }

  /** To be called when there is more again: lets go whoever may. */
  next(): void {
    while (this.queue.size) {
      const one = this.queue.shift(({ claim, asker }) => this.supply.judge(claim, asker));
      if (!one) return;
      this.supply.take(one.claim, one.asker);
      one.go();
    }
  }

  /** Refuses all that wait. */
  close(): void {
    const next = () => this.queue.shift(() => 'go');
    for (let one = next(); one; one = next()) one.drop();
  }

  private wait(claim: C, asker: Asker): Promise<void> {
    return new Promise((resolve, reject) => {
      const drop = () => {
        clearTimeout(timer);
        reject(overloaded());
      };
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const one: Waiter<C> = { share: asker.share, claim, asker, isGone: () => asker.isGone(), drop, go };
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

/** 503: more is asked for than the service can do. */
export function overloaded() {
  return unavailable('The service is overloaded. Try again shortly.');
}
