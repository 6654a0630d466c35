/** Items with the same key; never empty. */
export type Batch<T> = [T, ...T[]];

/** Collects items during one tick of the event loop, and flushes them, grouped by key, at its end. */
export class TickBatch<T> {
  private groups = new Map<string, Batch<T>>();

  /** @param keyOf returns the key to group by */
  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly flush: (groups: readonly Batch<T>[]) => void,
  ) {}

  add(item: T): void {
    const key = this.keyOf(item);
    if (!this.groups.size) setImmediate(() => this.end());
    const group = this.groups.get(key);
    if (group) group.push(item);
    else this.groups.set(key, [item]);
  }

  private end(): void {
    const { groups } = this;
    this.groups = new Map();
    this.flush([...groups.values()]);
  }
}
