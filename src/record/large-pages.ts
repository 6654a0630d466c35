import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Asker } from '../database/asker.js';
import { type Supply, Turns } from '../database/turns.js';
import type { Row } from './row.js';

const MIB = 1024 * 1024;
/** Bytes that the pages being made may have together: those of all callers, and those of one. */
const MOST = { inAll: 72 * MIB, ofOne: 24 * MIB };
/** Pages that may wait. */
const MOST_WAITING = 500;
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
export class LargePages implements Supply<number> {
  private readonly turns: Turns<number>;
  private readonly ofShare = new Map<string, number>();
  private inAll = 0;
  private last: Promise<void> = Promise.resolve();
  private watch: NodeJS.Timeout | null = null;

  constructor(config: Config) {
    this.turns = new Turns(this, { waiting: MOST_WAITING, patienceMs: config.statementTimeoutMs });
  }

  /**
   * Waits until a page may be made.
   * @param bytes that its rows may have at most
   * @returns to be called when its answer is made
   * @throws ApiError 503 when it would wait longer than a statement may take, or too many wait
   */
  async enter(bytes: number, asker: Asker): Promise<() => void> {
    if (bytes < LARGE) return NOTHING;
    const turn = this.turns.enter(bytes, asker);
    if (turn) {
      this.watch ??= setInterval(() => this.look(), LOOK_MS).unref();
      await turn;
    }
    return () => {
      this.count(-bytes, asker);
      this.turns.next();
    };
  }

  /**
   * Waits, where the rows of an answer are large, until others had as much of the thread as the last such answer took:
   * Node.js accepts one connection each time that it looks for what has come in.
   */
  async spread(rows: readonly (readonly Row[])[]): Promise<void> {
    if (!areLarge(rows)) return;
    const turn = this.last;
    let done: (pause: number) => void = NOTHING;
    this.last = new Promise<number>((resolve) => (done = resolve)).then((pause) => sleep(pause));
    await turn;
    const began = performance.now();
    setImmediate(() => done(performance.now() - began)); // what follows at once makes the answer's text
  }

  mayTake(bytes: number, asker: Asker): boolean {
    const fits = (taken: number, most: number) => taken === 0 || taken + bytes <= most;
    const own = this.ofShare.get(asker.share) ?? 0;
    return fits(own, MOST.ofOne) && fits(this.inAll, MOST.inAll) && !asker.isBehind();
  }

  take(bytes: number, asker: Asker): void {
    this.count(bytes, asker);
  }

  private count(bytes: number, { share }: Asker): void {
    this.inAll += bytes;
    const own = (this.ofShare.get(share) ?? 0) + bytes;
    if (own > 0) this.ofShare.set(share, own);
    else this.ofShare.delete(share);
  }

  /** Nothing says when somebody has read. */
  private look(): void {
    this.turns.next();
    if (this.turns.waiting || !this.watch) return;
    clearInterval(this.watch);
    this.watch = null;
  }
}

/** Whether the texts of rows, and those within their JSON, are large together. */
function areLarge(rows: readonly (readonly Row[])[]): boolean {
  let left = LARGE;
  for (const some of rows) {
    for (const row of some) {
      for (const name in row) {
        const value = row[name];
        if (typeof value === 'string') left -= value.length;
        else if (typeof value === 'object' && value !== null) left = without(left, value);
      }
      if (left <= 0) return true;
    }
  }
  return false;
}

/** What is left of some bytes after those of a JSON value: about, and no longer looked at where it is nothing. */
function without(left: number, value: object): number {
  for (const one of Object.values(value)) {
    if (left <= 0) return left;
    left -= typeof one === 'string' ? one.length : 1;
    if (typeof one === 'object' && one !== null) left = without(left, one as object);
  }
  return left;
}
