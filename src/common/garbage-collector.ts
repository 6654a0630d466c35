import { setFlagsFromString } from 'node:v8';

/**
 * How much the heap may grow beyond its live objects before V8 runs a full collection, in percent. By default V8 lets it
 * grow to four times that, which a service with much short-lived garbage fills for nothing.
 */
const MAX_GROWTH = 20;

/**
 * Tunes V8's garbage collector for the whole process: slightly more collections for about half the heap, and no
 * pretenuring. By default V8, after a busy start, allocates the lists of some call sites directly in the old generation.
 * Each list then keeps its rows until the next full collection, long after the request. That cost a list of 10 a quarter
 * of its processor time (docs/performance.md).
 */
export function tuneGarbageCollector(): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GROWTH}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
}
