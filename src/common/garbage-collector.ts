import { setFlagsFromString } from 'node:v8';

/**
 * Percent by which the heap may grow beyond what is alive before V8 looks through all of it for garbage. By itself V8
 * would let it grow to four times that, which a service that makes much short-lived garbage fills for nothing.
 */
const MAX_GROWTH = 20;

/**
 * Sets V8's garbage collector up for a service, for the whole process: a few collections more for about half the size,
 * and every object starts young. By itself V8 moves the places that make lists to the old generation after a busy
 * start; each of those lists then keeps its rows until the next full collection, though the request is long over. That
 * cost a list of 10 a quarter of its processor time (docs/performance.md).
 */
export function tuneGarbageCollector(): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GROWTH}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
}
