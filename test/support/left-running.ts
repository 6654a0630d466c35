/** What has been started and not stopped yet; Jest's environment (test/jest/environment.cjs) stops it after the file. */
const KEY = Symbol.for('kindred.running');

type Stop = () => unknown;

/**
 * Remembers how to stop something that a test starts, in case the test fails before it does so itself: a run must always
 * end. Stops once, however often it is called.
 */
export function stoppedAtTheEnd<T>(stop: () => Promise<T>): () => Promise<T> {
  const all = ((globalThis as Record<symbol, unknown>)[KEY] ??= new Set()) as Set<Stop>;
  let stopping: Promise<T> | null = null;
  const once = () => {
    all.delete(once);
    return (stopping ??= stop());
  };
  all.add(once);
  return once;
}
