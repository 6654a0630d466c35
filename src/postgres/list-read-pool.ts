import { type Asker, THE_SERVICE } from '../common/asker.js';
import type { Connection } from './connection.js';
import { FairSlots } from './fair-slots.js';
import type { ResultRow, Statement } from './statement.js';
import type { Patience } from './turns.js';

/** Reads that may be slow, one at a time on a connection; the connections go round between those who ask. */
export class ListReadPool {
  private readonly slots: FairSlots<Connection>;

  constructor(
    private readonly connections: readonly Connection[],
    patience: Patience,
  ) {
    this.slots = new FairSlots(connections, patience);
  }

  /** @throws ApiError 503 when it would wait too long, or too many wait; pg's own errors */
  query(statement: Statement, asker: Asker = THE_SERVICE): Promise<ResultRow[]> {
    return this.slots.run(statement.table ?? '', asker, (connection) => connection.query(statement));
  }

  load(): { underWay: number; waiting: number } {
    return this.slots.load();
  }

  /** What waits is refused, and what is under way ends with its connection. */
  async close(): Promise<void> {
    this.slots.close();
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
