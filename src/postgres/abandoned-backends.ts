import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultRow, ReadStatement } from './statement.js';

const INTERVAL_MS = 250;

interface Abandoned {
  readonly processId: number;
  readonly resolve: () => void;
}

/**
 * Knows when abandoned backends have finished. A backend whose client has timed out and closed the connection works on
 * until it checks for interrupts, and some functions of PostgreSQL don't do so for many seconds. Its connection is replaced
 * only after that, so that there are never more backends than connections.
 */
export class AbandonedBackends {
  private readonly abandoned = new Set<Abandoned>();
  private watching = false;
  private closed = false;

  /** @param query must not wait for the connections whose backends were abandoned */
  constructor(private readonly query: (statement: ReadStatement) => Promise<ResultRow[]>) {}

  /**
   * Resolves when PostgreSQL says that the backend is idle or gone, or when the service stops. While PostgreSQL can't be
   * asked, nobody knows, and it stays pending.
   * @param processId of the backend
   */
  finished(processId: number): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.abandoned.add({ processId, resolve });
      if (!this.watching) void this.watch();
    });
  }

  /** Stops watching. */
  close(): void {
    this.closed = true;
    this.resolve([...this.abandoned]);
  }

  private async watch(): Promise<void> {
    this.watching = true;
    while (this.abandoned.size) {
      const asked = [...this.abandoned];
      const busy = await this.busyOf(asked).catch(() => null);
      if (busy) this.resolve(asked.filter(({ processId }) => !busy.has(processId)));
      if (this.abandoned.size) await sleep(INTERVAL_MS, undefined, { ref: false });
    }
    this.watching = false;
  }

  private async busyOf(abandoned: readonly Abandoned[]): Promise<ReadonlySet<number>> {
    const rows = await this.query({
      name: 'busy backends',
      text: `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state <> 'idle'`,
      values: [abandoned.map(({ processId }) => processId)],
      table: 'pg_stat_activity',
    });
    return new Set(rows.map(({ pid }) => Number(pid)));
  }

  private resolve(finished: readonly Abandoned[]): void {
    for (const one of finished) {
      this.abandoned.delete(one);
      one.resolve();
    }
  }
}
