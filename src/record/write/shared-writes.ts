import { type Batch, TickBatch } from '../../common/tick-batch.js';
import { INTERNAL_REQUESTER, type Requester } from '../../common/requester.js';
import { isRefusal, isTimeout } from '../../postgres/error-code.js';

/** The maximum number of writes in one statement. */
const MAX_WRITES = 16;

interface Waiting<W, R> {
  readonly write: W;
  readonly requester: Requester;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines similar writes of one tick into one statement, so that many simultaneous requests share the cost of a commit. If
 * PostgreSQL refuses the statement because of one write, or times out on a lock, each write is retried alone: none fails
 * because of another.
 */
export class SharedWrites<W, R> {
  private readonly batches: TickBatch<Waiting<W, R>>;

  /**
   * @param shape returns a key that is equal for writes that can share a statement
   * @param store stores them in one statement, for one of their requesters, and returns a result for each, in their order
   * @param isFree whether a statement for this requester would be sent at once
   */
  constructor(
    shape: (write: W) => string,
    private readonly store: (writes: readonly W[], requester: Requester) => Promise<readonly R[]>,
    private readonly isFree: (requester: Requester) => boolean,
  ) {
    this.batches = new TickBatch(
      ({ write }) => shape(write),
      (groups) => this.share(groups),
    );
  }

  /** The result of a write. @throws the database's error for this write */
  write(write: W, requester: Requester): Promise<R> {
    return new Promise((resolve, reject) => this.batches.add({ write, requester, resolve, reject }));
  }

  private share(groups: readonly Batch<Waiting<W, R>>[]): void {
    for (const alike of groups) {
      for (let i = 0; i < alike.length; i += MAX_WRITES) this.send(alike.slice(i, i + MAX_WRITES));
    }
  }

  /** Requesters share a statement that is sent at once. Otherwise each waits for its own turn. */
  private send(batch: readonly Waiting<W, R>[]): void {
    const byKey = new Map<string, Waiting<W, R>[]>();
    for (const one of batch) {
      const { fairnessKey } = one.requester;
      byKey.set(fairnessKey, [...(byKey.get(fairnessKey) ?? []), one]);
    }
    const [first] = batch;
    const isTogether = byKey.size === 1 || (first && this.isFree(first.requester));
    for (const part of isTogether ? [batch] : byKey.values()) void this.make(part);
  }

  private async make(batch: readonly Waiting<W, R>[]): Promise<void> {
    try {
      const requester = batch[0]?.requester ?? INTERNAL_REQUESTER;
      const writes = batch.map(({ write }) => write);
      const results = await this.store(writes, requester);
      if (results.length !== batch.length) throw new Error('A shared write has not told what came of each.');
      batch.forEach(({ resolve }, i) => resolve(results[i] as R));
    } catch (error) {
      if (batch.length > 1 && (isRefusal(error) || isTimeout(error)))
        for (const one of batch) void this.make([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
