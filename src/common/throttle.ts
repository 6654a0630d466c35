/** Limits how often something is done, such as a line in the log. */
export class Throttle {
  private last = -Infinity;

  /** @param intervalMs milliseconds until it may be done again */
  constructor(private readonly intervalMs: number) {}

  /** Whether it may be done now. If so, it counts as done. */
  take(): boolean {
    const now = performance.now();
    if (now - this.last < this.intervalMs) return false;
    this.last = now;
    return true;
  }
}
