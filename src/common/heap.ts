import { setFlagsFromString } from 'node:v8';

/**
 * Percent by which the heap may grow beyond what is alive before V8 looks through all of it for garbage. By itself V8
 * would let it grow to four times that, which a service that makes much short-lived garbage fills for nothing.
 */
const MOST_GROWTH = 50;

/** Trades a few collections more for a process of about half the size (docs/performance.md). For the whole process. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${MOST_GROWTH}`);
}
