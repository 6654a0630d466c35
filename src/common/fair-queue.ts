/** What waits in a {@link FairQueue}. */
export interface Waiting {
  /** Who waits, for whom it is: those with the same text share one turn. */
  readonly share: string;
  /** Whether nobody wants the result any more. */
  isGone(): boolean;
  /** Told when it had to leave the queue for another one's sake, or because it is gone. */
  drop(): void;
}

/**
 * Whether something that waits may go now; if not, who waits with it, so that what needs little does not overtake what needs
 * much again and again: nobody else, all of its share, or everybody.
 */
export type Verdict = 'go' | 'wait' | 'share waits' | 'all wait';

/**
 * A bounded queue whose places go round between those who wait: whoever has one thing in it waits for one of each other
 * share, and not for all that another share has. When it is full, the share with the most in it gives way.
 */
export class FairQueue<T extends Waiting> {
  private readonly shares = new Map<string, T[]>();
  private count = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.count;
  }

  /** Lets something in, for which another one may have to leave. False when there is no room for it. */
  push(item: T): boolean {
    if (this.count >= this.most && !this.makeRoom(item.share)) return false;
    const share = this.shares.get(item.share);
    if (share) share.push(item);
    else this.shares.set(item.share, [item]);
    this.count++;
    return true;
  }

  /** Takes the next one out that may go; those that are gone are dropped. */
  shift(judge: (item: T) => Verdict): T | undefined {
    for (const [name, items] of this.shares) {
      this.dropGone(name, items);
      const { at, verdict } = firstToGo(items, judge);
      if (verdict === 'all wait') return undefined;
      if (verdict !== 'go') continue;
      const [item] = items.splice(at, 1);
      this.count--;
      // The share goes behind all others.
      this.shares.delete(name);
      if (items.length) this.shares.set(name, items);
      return item;
    }
    return undefined;
  }

  /** Takes something out that waits no longer. */
  remove(item: T): void {
    const items = this.shares.get(item.share) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    this.count--;
    if (!items.length) this.shares.delete(item.share);
  }

  private dropGone(name: string, items: T[]): void {
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i];
      if (!item?.isGone()) continue;
      items.splice(i, 1);
      this.count--;
      item.drop();
    }
    if (!items.length) this.shares.delete(name);
  }

  private makeRoom(newcomer: string): boolean {
    for (const [name, items] of this.shares) this.dropGone(name, items);
    if (this.count < this.most) return true;
    let longest: T[] = [];
    for (const items of this.shares.values()) if (items.length > longest.length) longest = items;
    const own = this.shares.get(newcomer)?.length ?? 0;
    const last = longest.at(-1);
    if (!last || longest.length <= own + 1) return false;
    this.remove(last);
    last.drop();
    return true;
  }
}

/** The first of a share's items that does not merely wait itself. */
function firstToGo<T>(items: readonly T[], judge: (item: T) => Verdict): { at: number; verdict: Verdict } {
  for (const [at, item] of items.entries()) {
    const verdict = judge(item);
    if (verdict !== 'wait') return { at, verdict };
  }
  return { at: -1, verdict: 'wait' };
}
