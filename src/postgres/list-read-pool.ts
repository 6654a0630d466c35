import { type Requester, INTERNAL_REQUESTER } from '../common/requester.js';
import type { AbandonedBackends } from './abandoned-backends.js';
import type { Connection } from './connection.js';
import { isAbandoned } from './error-code.js';
import { FairSlots } from '../common/fair-slots.js';
import type { ResultRow, Statement } from './statement.js';
import type { QueueLimits } from '../common/admission-queue.js';

/** Reads that may be slow: one at a time on each connection, with the connections shared fairly between requesters. */
export class ListReadPool {
  private readonly slots: FairSlots<Connection>;

  constructor(
    private readonly connections: readonly Connection[],
    limits: QueueLimits,
    private readonly abandoned: AbandonedBackends,
  ) {
    this.slots = new FairSlots(connections, limits);
  }

  /** @throws ApiError 503 after the time limit or if too many reads wait; pg's own errors */
  query(statement: Statement, requester: Requester = INTERNAL_REQUESTER): Promise<ResultRow[]> {
    return this.slots.run(statement.table ?? '', requester, async (connection, hold) => {
      try {
        return await connection.query(statement);
      } catch (error) {
        if (isAbandoned(error)) hold(this.abandoned.finished(connection.processId));
        throw error;
      }
    });
  }

  load(): { underWay: number; waiting: number } {
    return this.slots.load();
  }

  /** Refuses waiting reads and closes the connections, which ends the running ones. */
  async close(): Promise<void> {
    this.slots.close();
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
