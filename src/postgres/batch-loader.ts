import { type Batch, TickBatch } from '../common/tick-batch.js';

interface Question<K, V> {
  readonly asked: K;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads everything that is requested in one tick of the event loop together, and equal keys once. The load starts after
 * the last request of the tick, so no result is older than its request.
 */
export class BatchLoader<V, K = string> {
  private readonly batches: TickBatch<Question<K, V>>;

  /**
   * @param load returns the values of distinct keys; missing ones are null
   * @param maxSize the number of keys in one load; more are loaded in parallel
   * @param keyOf a text that is equal for equal keys
   * @param oneOf chooses what to load for equal keys; by default the first of them
   */
  constructor(
    private readonly load: (asked: [K, ...K[]]) => Promise<ReadonlyMap<K, V>>,
    private readonly maxSize: number,
    keyOf: (asked: K) => string = String,
    private readonly oneOf: (equal: readonly [K, ...K[]]) => K = ([first]) => first,
  ) {
    this.batches = new TickBatch(
      ({ asked }) => keyOf(asked),
      (groups) => this.loadAll(groups),
    );
  }

  /** The value of a key, or null. Rejects if the load does. */
  get(asked: K): Promise<V | null> {
    return new Promise((resolve, reject) => this.batches.add({ asked, resolve, reject }));
  }

  private loadAll(groups: readonly Batch<Question<K, V>>[]): void {
    for (let i = 0; i < groups.length; i += this.maxSize) {
      const batch = groups.slice(i, i + this.maxSize);
      const things = batch.map((group) => this.thingOf(group));
      this.load(things as [K, ...K[]]).then(
        (found) => {
          batch.forEach((group, at) => {
            const value = found.get(things[at] as K) ?? null;
            for (const { resolve } of group) resolve(value);
          });
        },
        (error: unknown) => {
          for (const group of batch) for (const { reject } of group) reject(error);
        },
      );
    }
  }

  private thingOf(group: Batch<Question<K, V>>): K {
    const [first, ...more] = group;
    return more.length ? this.oneOf([first.asked, ...more.map(({ asked }) => asked)]) : first.asked;
  }
}
