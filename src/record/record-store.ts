import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import { KindGraph, type LinkedKind } from './kind-graph.js';
import { KindSql } from './kind-sql.js';
import type { Row } from './row.js';

interface Waiting {
  readonly id: string;
  readonly resolve: (row: Row | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Ids in one statement at most. */
const MOST_IN_BATCH = 500;
/** Statement texts that PostgreSQL keeps prepared per connection at most; lists beyond it run unprepared. */
const MOST_PREPARED = 500;

/** Rows in and out of PostgreSQL, for all kinds. Knows nothing of viewers: whoever calls it asks access.ts. */
@Injectable()
export class RecordStore {
  private readonly sqls = new Map<LinkedKind, KindSql>();
  private readonly waiting = new Map<LinkedKind, Waiting[]>();
  private readonly prepared = new Map<string, string>();

  constructor(
    readonly graph: KindGraph,
    readonly database: Database,
  ) {
    for (const kind of graph.all()) this.sqls.set(kind, new KindSql(kind, graph));
  }

  sql(kind: LinkedKind): KindSql {
    const sql = this.sqls.get(kind);
    if (!sql) throw new Error(`Kind ${kind.kind} is not part of this service.`);
    return sql;
  }

  /** One row by id, or null. All gets of one turn of the event loop become one statement. */
  get(kind: LinkedKind, id: string): Promise<Row | null> {
    return new Promise((resolve, reject) => {
      let queue = this.waiting.get(kind);
      if (!queue) {
        queue = [];
        this.waiting.set(kind, queue);
        setImmediate(() => this.flush(kind));
      }
      queue.push({ id, resolve, reject });
    });
  }

  /** Rows by id, in one statement; those that don't exist are left out. */
  async getMany(kind: LinkedKind, ids: readonly string[]): Promise<Map<string, Row>> {
    const unique = [...new Set(ids)];
    if (!unique.length) return new Map();
    const rows = await this.database.read('point', this.sql(kind).byIds(unique));
    return new Map(rows.map((row) => [String(row.id), row]));
  }

  /** Runs a list statement; prepared under a name as long as there are not too many different texts. */
  list(text: string, values: readonly unknown[]): Promise<Row[]> {
    let name = this.prepared.get(text);
    if (name === undefined && this.prepared.size < MOST_PREPARED) {
      name = `list_${this.prepared.size}`;
      this.prepared.set(text, name);
    }
    return this.database.read('list', { name, text, values });
  }

  async lock(
    tx: Transaction,
    kind: LinkedKind,
    id: string,
    mode: 'UPDATE' | 'KEY SHARE',
  ): Promise<Row | null> {
    return (await tx.query(this.sql(kind).lock(id, mode)))[0] ?? null;
  }

  insert(tx: Transaction, kind: LinkedKind, values: ReadonlyMap<string, unknown>): Promise<Row> {
    return this.written(tx, kind, this.sql(kind).insert(values));
  }

  update(tx: Transaction, kind: LinkedKind, id: string, values: ReadonlyMap<string, unknown>): Promise<Row> {
    return this.written(tx, kind, this.sql(kind).update(id, values));
  }

  async remove(tx: Transaction, kind: LinkedKind, id: string): Promise<void> {
    await tx.query(this.sql(kind).remove(id));
  }

  /** Takes a record that will be deleted away from those whose relation to it becomes null. */
  async detach(tx: Transaction, kind: LinkedKind, id: string): Promise<void> {
    for (const other of this.graph.all()) {
      for (const parent of other.parents.values()) {
        if (parent.kind.kind !== kind.kind || parent.relation.onDelete !== 'null') continue;
        await tx.query(this.sql(other).detach(parent.prop, id));
      }
    }
  }

  private async written(tx: Transaction, kind: LinkedKind, statement: Statement): Promise<Row> {
    const sql = this.sql(kind);
    let [row] = await tx.query(statement);
    if (row && sql.hasFarOwners) [row] = await tx.query(sql.byIds([String(row.id)]));
    if (!row) throw new Error(`A written row of kind ${kind.kind} is gone.`);
    return row;
  }

  private flush(kind: LinkedKind): void {
    const queue = this.waiting.get(kind) ?? [];
    this.waiting.delete(kind);
    for (let i = 0; i < queue.length; i += MOST_IN_BATCH) {
      const batch = queue.slice(i, i + MOST_IN_BATCH);
      this.getMany(
        kind,
        batch.map((one) => one.id),
      ).then(
        (rows) => batch.forEach((one) => one.resolve(rows.get(one.id) ?? null)),
        (error: unknown) => batch.forEach((one) => one.reject(error)),
      );
    }
  }
}
