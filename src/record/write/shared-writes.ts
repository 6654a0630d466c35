import { type Group, TickBatch } from '../../common/tick-batch.js';
import { isRefusal, isTimeout } from '../../postgres/error-code.js';

/** Writes in one statement at most. */
const MAX_WRITES = 16;

interface Waiting<W, R> {
  readonly write: W;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes of one sort and kind. Those that come in one turn of the event loop, and are alike, share a statement and with it
 * the commit: what a commit costs, many requests at the same time pay once. When PostgreSQL refuses the statement because
 * of one of them, or gives it up because one waits for a lock, each is tried alone: none fails for another's fault.
 */
export class SharedWrites<W, R> {
  private readonly batches: TickBatch<Waiting<W, R>>;

  /**
   * @param shape equal for writes that one statement can make
   * @param store makes them in one statement; a result for each, in their order
   */
  constructor(
    shape: (write: W) => string,
    private readonly store: (writes: readonly W[]) => Promise<readonly R[]>,
  ) {
    this.batches = new TickBatch(
      ({ write }) => shape(write),
      (groups) => this.share(groups),
    );
  }

  /** What came of a write. @throws what the database says of this one */
  write(write: W): Promise<R> {
    return new Promise((resolve, reject) => this.batches.add({ write, resolve, reject }));
  }

  private share(groups: readonly Group<Waiting<W, R>>[]): void {
    for (const alike of groups) {
      for (let i = 0; i < alike.length; i += MAX_WRITES) void this.make(alike.slice(i, i + MAX_WRITES));
    }
  }

  private async make(batch: readonly Waiting<W, R>[]): Promise<void> {
    try {
      const results = await this.store(batch.map(({ write }) => write));
      if (results.length !== batch.length) throw new Error('A shared write has not told what came of each.');
      batch.forEach(({ resolve }, i) => resolve(results[i] as R));
    } catch (error) {
      if (batch.length > 1 && (isRefusal(error) || isTimeout(error)))
        for (const one of batch) void this.make([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
