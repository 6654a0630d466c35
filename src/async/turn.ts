/** Collects what comes in one turn of the event loop, and hands it over together when that turn ends. */
export class Turn<T> {
  private items: T[] = [];

  constructor(private readonly handOver: (items: readonly T[]) => void) {}

  add(item: T): void {
    if (!this.items.length) setImmediate(() => this.end());
    this.items.push(item);
  }

  private end(): void {
    const { items } = this;
    this.items = [];
    this.handOver(items);
  }
}
