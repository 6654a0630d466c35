import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Asker } from '../../common/asker.js';
import type { Verdict } from '../../common/fair-queue.js';
import { type Supply, Turns } from '../../postgres/turns.js';
import type { Row } from '../row.js';

const MIB = 1024 * 1024;
/** Bytes that the pages being made may have together, as far as is known: those of all callers, and those of one. */
const MAX = { inAll: 32 * MIB, ofOne: 4 * MIB };
/** Bytes that they may have at the very worst. */
const WORST = { inAll: 384 * MIB, ofOne: 256 * MIB };
/** How much of what is known of a kind's rows stays, when a page has smaller ones. */
const FADES = 0.9;
/** Bytes that a value within JSON counts at least. */
const NODE = 8;
/** Pages that may wait. */
const MAX_WAITING = 500;
/** Bytes of a page from which on others feel that its answer is made. */
const LARGE = 128 * 1024;
/** Milliseconds between two looks whether those have read who must before more is made for them. */
const LOOK_MS = 100;

const NOTHING = () => undefined;

/**
 * Bounds what large pages take from everybody else: memory, by the bytes that the pages being made may have together, and
 * the one thread that makes answers, which sees to others between two large ones. Callers take turns; nothing is made for
 * one who has much left to read, nor for one who has left.
 */
@Injectable()
export class LargePages implements Supply<Page> {
  private readonly turns: Turns<Page>;
  private readonly ofShare = new Map<string, Bytes>();
  private inAll: Bytes = NONE;
  /** Table → bytes that one of its rows has, of those that were read lately. */
  private readonly rowBytes = new Map<string, number>();
  private last: Promise<void> = Promise.resolve();
  private watch: NodeJS.Timeout | null = null;

  constructor(config: Config) {
    this.turns = new Turns(this, { waiting: MAX_WAITING, patienceMs: config.statementTimeoutMs });
  }

  /**
   * Makes a page when there is room for it.
   * @param parts the kinds of its rows, how many there may be of each, and what they may have together
   * @param make reads the rows; it waits for what it is given before it makes their text
   * @throws ApiError 503 when it would wait longer than a statement may take, or too many wait
   */
  async making<T>(
    parts: readonly PagePart[],
    asker: Asker,
    make: (spread: (parts: readonly ReadPart[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const worst = parts.reduce((sum, { most }) => sum + most, 0);
    if (worst < LARGE) return make((read) => this.spread(read));
    const page: Page = { parts, worst, taken: NONE };
    const turn = this.turns.enter(page, asker);
    if (turn) {
      this.watch ??= setInterval(() => this.look(), LOOK_MS).unref();
      await turn;
    }
    try {
      return await make((read) => this.spread(read));
    } finally {
      // What follows at once makes the answer's text.
      setImmediate(() => {
        this.count({ worst: -page.taken.worst, likely: -page.taken.likely }, asker);
        this.turns.next();
      });
    }
  }

  judge(page: Page, asker: Asker): Verdict {
    const { likely, worst } = this.bytesOf(page);
    const fits = (taken: number, more: number, most: number) => taken === 0 || taken + more <= most;
    const own = this.ofShare.get(asker.share) ?? NONE;
    const { inAll } = this;
    if (!fits(own.likely, likely, MAX.ofOne) || !fits(own.worst, worst, WORST.ofOne)) return 'share waits';
    if (asker.isBehind()) return 'share waits';
    return fits(inAll.likely, likely, MAX.inAll) && fits(inAll.worst, worst, WORST.inAll) ? 'go' : 'all wait';
  }

  take(page: Page, asker: Asker): void {
    page.taken = this.bytesOf(page);
    this.count(page.taken, asker);
  }

  /**
   * Waits, where the rows of an answer are large, until others had as much of the thread as the last such answer took:
   * Node.js accepts one connection each time that it looks for what has come in.
   */
  private async spread(parts: readonly ReadPart[]): Promise<void> {
    let bytes = 0;
    for (const { table, rows } of parts) bytes += this.learn(table, rows);
    if (bytes < LARGE) return;
    const turn = this.last;
    let done: (pause: number) => void = NOTHING;
    this.last = new Promise<number>((resolve) => (done = resolve)).then((pause) => sleep(pause));
    await turn;
    const began = performance.now();
    setImmediate(() => done(performance.now() - began)); // what follows at once makes the answer's text
  }

  private count(change: Bytes, { share }: Asker): void {
    const own = sum(this.ofShare.get(share) ?? NONE, change);
    if (own.worst > 0) this.ofShare.set(share, own);
    else this.ofShare.delete(share);
    this.inAll = sum(this.inAll, change);
  }

  /** What is known of rows may have changed while a page waited. */
  private bytesOf({ parts, worst }: Page): Bytes {
    return { worst, likely: parts.reduce((sum, part) => sum + this.likely(part), 0) };
  }

  /** What a page will have, going by the rows that were read lately; the most that it may have while none was. */
  private likely({ table, count, most }: PagePart): number {
    const known = this.rowBytes.get(table);
    return known === undefined ? most : Math.min(most, Math.ceil(known * count));
  }

  /** Remembers how large rows are; their bytes. */
  private learn(table: string, rows: readonly Row[]): number {
    if (!rows.length) return 0;
    const bytes = textBytes(rows);
    const before = this.rowBytes.get(table) ?? 0;
    this.rowBytes.set(table, Math.max(bytes / rows.length, before * FADES));
    return bytes;
  }

  /** Nothing says when somebody has read. */
  private look(): void {
    this.turns.next();
    if (this.turns.waiting || !this.watch) return;
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
  /** Bytes that they may have together. */
  readonly most: number;
}

/** Bytes of pages. */
interface Bytes {
  readonly likely: number;
  readonly worst: number;
}

/** A page that is made, or waits for it. */
interface Page {
  readonly parts: readonly PagePart[];
  /** Bytes that it may have at the very worst. */
  readonly worst: number;
  /** What it counts for while it is made. */
  taken: Bytes;
}

const NONE: Bytes = { likely: 0, worst: 0 };

function sum(a: Bytes, b: Bytes): Bytes {
  return { likely: a.likely + b.likely, worst: a.worst + b.worst };
}

/** About how many bytes the texts of rows have, and their JSON. */
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
    bytes += NODE;
    if (typeof one === 'string') bytes += one.length;
    else if (typeof one === 'object' && one !== null) bytes += jsonBytes(one as object);
  }
  return bytes;
}
