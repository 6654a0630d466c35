/** What belongs together; never empty. */
export type Group<T> = [T, ...T[]];

/** Collects what comes in one turn of the event loop, and hands it over when that turn ends, by what belongs together. */
export class TickBatch<T> {
  private groups = new Map<string, Group<T>>();

  /** @param keyOf equal for what belongs together */
  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly handOver: (groups: readonly Group<T>[]) => void,
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
    this.handOver([...groups.values()]);
  }
}
