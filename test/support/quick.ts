import { availableParallelism, loadavg } from 'node:os';

/**
 * Milliseconds that something quick may take here and now: on a machine with more at work than it has processors, so many
 * times longer.
 */
export function quick(ms: number): number {
  const [lastMinute = 0] = loadavg();
  return ms * Math.max(1, lastMinute / availableParallelism());
}

/** Does a piece of work, and says how many milliseconds it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}
