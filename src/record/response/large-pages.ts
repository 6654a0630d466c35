import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Requester } from '../../common/requester.js';
import type { Verdict } from '../../common/fair-queue.js';
import { type Capacity, AdmissionQueue } from '../../common/admission-queue.js';
import type { Row } from '../row.js';

const MIB = 1024 * 1024;
/** The limits of the likely bytes of all pages in progress: in total, and for one requester. */
const MAX = { total: 32 * MIB, perKey: 4 * MIB };
/** The limits of their bytes in the worst case. */
const WORST = { total: 384 * MIB, perKey: 256 * MIB };
/** The decay of a table's known row size when a page has smaller rows. */
const DECAY = 0.9;
/** The minimum size of a value within JSON, in bytes. */
const JSON_VALUE_BYTES = 8;
/** Pages that may wait. */
const MAX_WAITING = 500;
/** Serializing a page of this many bytes noticeably delays other requests. */
const LARGE = 128 * 1024;
/** How often to check whether clients have read enough to get another page, in milliseconds. */
const POLL_MS = 100;

const NOTHING = () => undefined;

/**
 * Limits what large pages take from other requests: memory, by the total bytes of the pages in progress, and time on the
 * main thread, which serves other requests between two large pages. Waiting pages are admitted fairly. No page is built for
 * a client that still has much to read or has disconnected.
 */
@Injectable()
export class LargePages implements Capacity<Page> {
  private readonly queue: AdmissionQueue<Page>;
  private readonly byKey = new Map<string, Bytes>();
  private total: Bytes = NONE;
  /** Table → the size of its recently read rows, in bytes. */
  private readonly rowBytes = new Map<string, number>();
  private last: Promise<void> = Promise.resolve();
  private watch: NodeJS.Timeout | null = null;

  constructor(config: Config) {
    this.queue = new AdmissionQueue(this, { maxWaiting: MAX_WAITING, timeoutMs: config.statementTimeoutMs });
  }

  /**
   * Builds a page when there is room for it.
   * @param parts the tables of its rows, with limits of their number and bytes
   * @param make reads the rows; it must await the given function before it serializes them
   * @throws ApiError 503 when it waits longer than the time limit of a statement, or too many wait
   */
  async run<T>(
    parts: readonly PagePart[],
    requester: Requester,
    make: (pace: (parts: readonly ReadPart[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const worst = parts.reduce((sum, { maxBytes }) => sum + maxBytes, 0);
    if (worst < LARGE) return make((read) => this.pace(read));
    const page: Page = { parts, worst, taken: NONE };
    const admission = this.queue.admit(page, requester);
    if (admission) {
      this.watch ??= setInterval(() => this.poll(), POLL_MS).unref();
      await admission;
    }
    try {
      return await make((read) => this.pace(read));
    } finally {
      // The response is serialized right after this.
      setImmediate(() => {
        this.count({ worst: -page.taken.worst, likely: -page.taken.likely }, requester);
        this.queue.admitWaiting();
      });
    }
  }

  check(page: Page, requester: Requester): Verdict {
    const { likely, worst } = this.bytesOf(page);
    const fits = (taken: number, more: number, maxBytes: number) => taken === 0 || taken + more <= maxBytes;
    const own = this.byKey.get(requester.fairnessKey) ?? NONE;
    const { total } = this;
    if (!fits(own.likely, likely, MAX.perKey) || !fits(own.worst, worst, WORST.perKey)) return 'key waits';
    if (requester.hasBackpressure()) return 'key waits';
    return fits(total.likely, likely, MAX.total) && fits(total.worst, worst, WORST.total) ? 'go' : 'all wait';
  }

  acquire(page: Page, requester: Requester): void {
    page.taken = this.bytesOf(page);
    this.count(page.taken, requester);
  }

  /**
   * Before a large page is serialized, leaves the main thread to other requests for as long as the last large page took.
   * One tick would not be enough: Node.js accepts only one connection per poll.
   */
  private async pace(parts: readonly ReadPart[]): Promise<void> {
    let bytes = 0;
    for (const { table, rows } of parts) bytes += this.recordRowBytes(table, rows);
    if (bytes < LARGE) return;
    const admission = this.last;
    let done: (pause: number) => void = NOTHING;
    this.last = new Promise<number>((resolve) => (done = resolve)).then((pause) => sleep(pause));
    await admission;
    const began = performance.now();
    setImmediate(() => done(performance.now() - began)); // the response is serialized right after this
  }

  private count(change: Bytes, { fairnessKey }: Requester): void {
    const own = sum(this.byKey.get(fairnessKey) ?? NONE, change);
    if (own.worst > 0) this.byKey.set(fairnessKey, own);
    else this.byKey.delete(fairnessKey);
    this.total = sum(this.total, change);
  }

  /** Computed again when a page is admitted: known row sizes may have changed while it waited. */
  private bytesOf({ parts, worst }: Page): Bytes {
    return { worst, likely: parts.reduce((sum, part) => sum + this.likely(part), 0) };
  }

  /** The likely bytes of a part, by recently read rows; the maximum if there were none. */
  private likely({ table, count, maxBytes }: PagePart): number {
    const known = this.rowBytes.get(table);
    return known === undefined ? maxBytes : Math.min(maxBytes, Math.ceil(known * count));
  }

  /** Records the size of rows. Returns their bytes. */
  private recordRowBytes(table: string, rows: readonly Row[]): number {
    if (!rows.length) return 0;
    const bytes = textBytes(rows);
    const before = this.rowBytes.get(table) ?? 0;
    this.rowBytes.set(table, Math.max(bytes / rows.length, before * DECAY));
    return bytes;
  }

  /** Admits waiting pages from time to time: there is no event for a client that has read. */
  private poll(): void {
    this.queue.admitWaiting();
    if (this.queue.waiting || !this.watch) return;
    clearInterval(this.watch);
    this.watch = null;
  }
}

/** Rows of a page that were read. */
export interface ReadPart {
  readonly table: string;
  readonly rows: readonly Row[];
}

/** Some rows of a page. */
export interface PagePart {
  readonly table: string;
  /** How many there may be. */
  readonly count: number;
  /** The limit of their total bytes. */
  readonly maxBytes: number;
}

/** Sizes of pages. */
interface Bytes {
  readonly likely: number;
  readonly worst: number;
}

/** A page in progress, or waiting for it. */
interface Page {
  readonly parts: readonly PagePart[];
  /** Its bytes in the worst case. */
  readonly worst: number;
  /** The bytes that it counts for while it is in progress. */
  taken: Bytes;
}

const NONE: Bytes = { likely: 0, worst: 0 };

function sum(a: Bytes, b: Bytes): Bytes {
  return { likely: a.likely + b.likely, worst: a.worst + b.worst };
}

/** The approximate bytes of the texts and JSON values of rows. */
function textBytes(rows: readonly Row[]): number {
  let bytes = 0;
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (typeof value === 'string') bytes += value.length;
      else if (typeof value === 'object' && value !== null) bytes += jsonBytes(value);
    }
  }
  return bytes;
}

/** JSON has a bounded depth (body-parser.ts). */
function jsonBytes(value: object): number {
  let bytes = 0;
  for (const one of Object.values(value)) {
    bytes += JSON_VALUE_BYTES;
    if (typeof one === 'string') bytes += one.length;
    else if (typeof one === 'object' && one !== null) bytes += jsonBytes(one as object);
  }
  return bytes;
}
