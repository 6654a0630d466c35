/** An item of a {@link FairQueue}. */
export interface QueueItem {
  /** Items with the same key share one place in the rotation. */
  readonly fairnessKey: string;
  /** Whether the client has left. */
  isGone(): boolean;
  /** Called when the item was evicted, or removed because its client has left. */
  drop(): void;
}

/**
 * Whether an item may go now and, if not, which items wait with it: none, all of its key, or all. Without this, small items
 * could overtake a large one forever.
 */
export type Verdict = 'go' | 'wait' | 'key waits' | 'all wait';

/**
 * A bounded queue that serves keys round robin: an item waits for one item of each other key, not for all of them. When the
 * queue is full, the key with the most items gives up its last one.
 * @param rank keys with a lower rank are served before all others
 */
export class FairQueue<T extends QueueItem> {
  private readonly byKey = new Map<string, T[]>();
  private count = 0;

  constructor(
    private readonly maxSize: number,
    private readonly rank?: (fairnessKey: string) => number,
  ) {}

  get size(): number {
    return this.count;
  }

  /** How many items of a key wait. */
  sizeOf(fairnessKey: string): number {
    return this.byKey.get(fairnessKey)?.length ?? 0;
  }

  /** Adds an item, and evicts another one if the queue is full. Returns false if there is no room. */
  push(item: T): boolean {
    if (this.count >= this.maxSize && !this.evictFor(item.fairnessKey)) return false;
    const fairnessKey = this.byKey.get(item.fairnessKey);
    if (fairnessKey) fairnessKey.push(item);
    else this.byKey.set(item.fairnessKey, [item]);
    this.count++;
    return true;
  }

  /** Removes and returns the next item that may go. Drops items whose clients have left. */
  shift(judge: (item: T) => Verdict): T | undefined {
    for (const [name, items] of this.inOrder()) {
      this.dropGone(name, items);
      const { at, verdict } = firstDecision(items, judge);
      if (verdict === 'all wait') return undefined;
      if (verdict !== 'go') continue;
      const [item] = items.splice(at, 1);
      this.count--;
      // The key goes behind all others.
      this.byKey.delete(name);
      if (items.length) this.byKey.set(name, items);
      return item;
    }
    return undefined;
  }

  /** Removes an item that no longer waits. */
  remove(item: T): void {
    const items = this.byKey.get(item.fairnessKey) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    this.count--;
    if (!items.length) this.byKey.delete(item.fairnessKey);
  }

  private inOrder(): Iterable<[string, T[]]> {
    const { rank } = this;
    if (!rank) return this.byKey;
    // Equal ranks keep the order of the rotation.
    return [...this.byKey].sort(([a], [b]) => rank(a) - rank(b));
  }

  private dropGone(name: string, items: T[]): void {
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i];
      if (!item?.isGone()) continue;
      items.splice(i, 1);
      this.count--;
      item.drop();
    }
    if (!items.length) this.byKey.delete(name);
  }

  private evictFor(newKey: string): boolean {
    for (const [name, items] of this.byKey) this.dropGone(name, items);
    if (this.count < this.maxSize) return true;
    let largest: T[] = [];
    for (const items of this.byKey.values()) if (items.length > largest.length) largest = items;
    const last = largest.at(-1);
    if (!last || largest.length <= this.sizeOf(newKey) + 1) return false;
    this.remove(last);
    last.drop();
    return true;
  }
}

/** The first item of a key whose verdict says more than `wait`. */
function firstDecision<T>(
  items: readonly T[],
  judge: (item: T) => Verdict,
): { at: number; verdict: Verdict } {
  for (const [at, item] of items.entries()) {
    const verdict = judge(item);
    if (verdict !== 'wait') return { at, verdict };
  }
  return { at: -1, verdict: 'wait' };
}
