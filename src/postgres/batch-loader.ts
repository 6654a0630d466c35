import { type Group, TickBatch } from '../common/tick-batch.js';

interface Question<K, V> {
  readonly asked: K;
  readonly resolve: (value: V | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads what is asked for in one turn of the event loop together; equal things once. What is loaded is sent after the
 * last of them was asked for, so nobody gets an answer older than its question.
 */
export class BatchLoader<V, K = string> {
  private readonly turn: TickBatch<Question<K, V>>;

  /**
   * @param load the values of different things; those that it leaves out are null
   * @param most things of one load; more are loaded side by side
   * @param keyOf equal for equal things
   * @param oneOf what is loaded for equal things that several ask for: by default as the first has asked
   */
  constructor(
    private readonly load: (asked: [K, ...K[]]) => Promise<ReadonlyMap<K, V>>,
    private readonly most: number,
    keyOf: (asked: K) => string = String,
    private readonly oneOf: (equal: readonly [K, ...K[]]) => K = ([first]) => first,
  ) {
    this.turn = new TickBatch(
      ({ asked }) => keyOf(asked),
      (groups) => this.loadAll(groups),
    );
  }

  /** The value of a thing, or null; fails as the load fails. */
  get(asked: K): Promise<V | null> {
    return new Promise((resolve, reject) => this.turn.add({ asked, resolve, reject }));
  }

  private loadAll(groups: readonly Group<Question<K, V>>[]): void {
    for (let i = 0; i < groups.length; i += this.most) {
      const batch = groups.slice(i, i + this.most);
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

  private thingOf(group: Group<Question<K, V>>): K {
    const [first, ...more] = group;
    return more.length ? this.oneOf([first.asked, ...more.map(({ asked }) => asked)]) : first.asked;
  }
}
