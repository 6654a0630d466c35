import { FairQueue, type QueueItem } from '../common/fair-queue.js';

/** A complete body that waits to be parsed. */
export interface WaitingBody extends QueueItem {
  parse(): void;
}

/**
 * Parses large bodies, and does what follows at once, one after the other. In between, everything else gets as much time as
 * the last one took. Its memory is limited by `UnparsedBodies`, so it takes any number.
 */
export class ParseQueue {
  private readonly queue = new FairQueue<WaitingBody>(Infinity);
  private isResting = false;

  /** Parses the body now or later. */
  add(body: WaitingBody): void {
    this.queue.push(body);
    if (!this.isResting) this.parseNext();
  }

  /** Removes a body that no longer waits. */
  remove(body: WaitingBody): void {
    this.queue.remove(body);
  }

  private parseNext(): void {
    const body = this.queue.shift(() => 'go');
    this.isResting = body !== undefined;
    if (!body) return;
    const began = performance.now();
    try {
      body.parse();
    } finally {
      setTimeout(() => this.parseNext(), performance.now() - began);
    }
  }
}
