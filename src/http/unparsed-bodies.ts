/** A request body whose bytes are in memory because it is incomplete or waits to be parsed. */
export interface UnparsedBody {
  readonly fairnessKey: string;
  /** Called when it must give up its memory. It has been removed already. */
  evict(): void;
}

/** The bodies of one fairness key. */
interface Share {
  bytes: number;
  /** With their sizes; those that have waited longest for more bytes come first. */
  readonly bodies: Map<UnparsedBody, number>;
}

/**
 * Limits the memory of unparsed bodies. Beyond `maxBytes` in total, the fairness key with the most bytes loses the body that
 * has made no progress for the longest time.
 */
export class UnparsedBodies {
  private readonly shares = new Map<string, Share>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  /** Bytes of all of them. */
  get bytes(): number {
    return this.total;
  }

  /** Adds a body, or changes its size. Other bodies may be evicted, and so may this one. */
  set(body: UnparsedBody, bytes: number): void {
    const { fairnessKey } = body;
    this.remove(body);
    const share = this.shares.get(fairnessKey) ?? { bytes: 0, bodies: new Map<UnparsedBody, number>() };
    this.shares.set(fairnessKey, share);
    share.bodies.set(body, bytes);
    share.bytes += bytes;
    this.total += bytes;
    while (this.total > this.maxBytes) this.evictOne();
  }

  /** Forgets a body; nothing happens if it is unknown. */
  remove(body: UnparsedBody): void {
    const share = this.shares.get(body.fairnessKey);
    const bytes = share?.bodies.get(body);
    if (!share || bytes === undefined) return;
    share.bodies.delete(body);
    share.bytes -= bytes;
    this.total -= bytes;
    if (!share.bodies.size) this.shares.delete(body.fairnessKey);
  }

  private evictOne(): void {
    let largest: Share | undefined;
    for (const share of this.shares.values()) if (share.bytes > (largest?.bytes ?? -1)) largest = share;
    for (const body of largest?.bodies.keys() ?? []) {
      this.remove(body);
      body.evict();
      return;
    }
  }
}
