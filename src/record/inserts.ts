import type { Database } from '../database/database.js';
import { isRefusal, isTimeout } from '../database/error-code.js';
import type { KindSql } from './kind-sql.js';
import type { Row } from './row.js';

/** Rows in one statement at most. */
const MOST_ROWS = 16;

interface Waiting {
  readonly values: ReadonlyMap<string, unknown>;
  readonly resolve: (row: Row) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores new rows of one kind. Those that come in one turn of the event loop, and have values for the same columns,
 * share a statement and with it the commit: what a commit costs, many creates at the same time pay once. When
 * PostgreSQL refuses the statement because of one of them, or gives it up because one waits for a lock, each is tried
 * alone: none fails for another's fault.
 */
export class Inserts {
  private waiting = new Map<string, Waiting[]>();

  constructor(
    private readonly sql: KindSql,
    private readonly database: Database,
  ) {}

  /** The row as it is stored, with what the database has added. @throws what the database says of this row */
  insert(values: ReadonlyMap<string, unknown>): Promise<Row> {
    return new Promise((resolve, reject) => {
      if (!this.waiting.size) setImmediate(() => this.flush());
      const columns = [...values.keys()].join();
      const others = this.waiting.get(columns);
      if (others) others.push({ values, resolve, reject });
      else this.waiting.set(columns, [{ values, resolve, reject }]);
    });
  }

  private flush(): void {
    const { waiting } = this;
    this.waiting = new Map();
    for (const alike of waiting.values()) {
      for (let i = 0; i < alike.length; i += MOST_ROWS) void this.store(alike.slice(i, i + MOST_ROWS));
    }
  }

  private async store(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.database.write(this.sql.insert(batch.map(({ values }) => values)));
      if (rows.length !== batch.length) throw new Error('An INSERT gave back fewer rows than it has stored.');
      // Ids are drawn row by row, in the order of the statement; RETURNING itself promises no order.
      const inOrder = rows.sort((a, b) => Number(BigInt(String(a.id)) - BigInt(String(b.id))));
      batch.forEach(({ resolve }, i) => resolve(inOrder[i] ?? {}));
    } catch (error) {
      if (batch.length > 1 && (isRefusal(error) || isTimeout(error)))
        for (const one of batch) void this.store([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
