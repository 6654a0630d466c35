import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { StartupError } from '../../common/startup-error.js';
import { Database, type Transaction } from '../../postgres/database.js';
import { BatchLoader } from '../../postgres/batch-loader.js';
import type { Statement } from '../../postgres/statement.js';
import { KindGraph, type LinkedKind } from '../schema/kind-graph.js';
import { registeredKinds } from '../schema/kind.js';
import {
  countedTables,
  detach,
  idsNaming,
  lockAll,
  KindSql,
  type LockMode,
  tableColumns,
} from './kind-sql.js';
import type { PropDef } from '../schema/prop.js';
import { Removals } from '../write/removals.js';
import type { Row } from '../row.js';

/** The maximum number of ids in one statement. */
const MAX_IN_BATCH = 500;
/** Reads and writes the rows of all kinds. Hides records that are being deleted. Callers must check access (access/). */
@Injectable()
export class RecordStore implements OnApplicationBootstrap {
  /** The byte limit of a page's records, and of its included records. */
  readonly pageBytes: number;
  private readonly sqls = new Map<LinkedKind, KindSql>();
  private readonly gets = new Map<LinkedKind, BatchLoader<Row>>();

  constructor(
    readonly graph: KindGraph,
    readonly database: Database,
    readonly removals: Removals,
    config: Config,
  ) {
    this.pageBytes = config.maxPageBytes;
    for (const kind of graph.all()) {
      this.sqls.set(kind, new KindSql(kind, graph));
      this.gets.set(kind, new BatchLoader((ids) => this.getMany(kind, ids), MAX_IN_BATCH));
    }
  }

  /** @throws StartupError if the table of a kind, one of its columns or its maintained total is missing. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.read('point', countedTables());
    const counted = new Set(rows.map((row) => row.path));
    const tables = this.graph.all().map(({ table }) => table);
    const found = await this.database.read('point', tableColumns(tables));
    const columns = new Map(
      found.map(({ path, name, collation }) => [`${String(path)}.${String(name)}`, collation]),
    );
    for (const linked of this.graph.all()) {
      const { generic, kind, table } = linked;
      const isLacking = ([name, collation]: [string, string | null]) => {
        const there = columns.get(`${table}.${name}`);
        return there === undefined || (collation !== null && there !== collation);
      };
      const [lacking] = [...this.sql(linked).needs].find(isLacking) ?? [];
      if ((!generic || counted.has(table)) && lacking === undefined) continue;
      const where =
        counted.has(table) && lacking !== undefined ? `Kind ${kind}, column ${lacking}` : `Kind ${kind}`;
      throw new StartupError(
        `${where}: the database is not ready for it. Write the migration: npm run migration:generate -- ${table}`,
      );
    }
  }

  sql(kind: LinkedKind): KindSql {
    const sql = this.sqls.get(kind);
    if (!sql) throw unknownKind(kind);
    return sql;
  }

  /** One row by id, or null. All gets of one tick become one statement. */
  get(kind: LinkedKind, id: string): Promise<Row | null> {
    if (this.removals.has(kind.table, id)) return Promise.resolve(null);
    return this.loaderOf(kind).get(id);
  }

  /** Rows by id, in one statement; those that don't exist are left out. */
  async getMany(kind: LinkedKind, ids: readonly string[]): Promise<Map<string, Row>> {
    const unique = [...new Set(ids)].filter((id) => !this.removals.has(kind.table, id));
    if (!unique.length) return new Map();
    const rows = (await this.database.read('point', this.sql(kind).byIds(unique))) as Row[];
    return new Map(rows.map((row) => [row.id, row]));
  }

  async lock(tx: Transaction, kind: LinkedKind, id: string, mode: LockMode): Promise<Row | null> {
    if (this.removals.has(kind.table, id)) return null;
    const [row] = await tx.query(this.sql(kind).lock(id, mode));
    return (row as Row | undefined) ?? null;
  }

  /**
   * Locks a row for its deletion, after the rows whose relation to it, or to records deleted with it, becomes null. A change
   * of such a row locks the row before the record that it names, and a different order here could deadlock. A record with so
   * much below it that it is closed does not need that yet.
   */
  async lockToRemove(tx: Transaction, kind: LinkedKind, id: string): Promise<Row | null> {
    const farther = this.removals.clearsFarther(kind.table);
    const isAlone = !namingOf(kind).length && !farther;
    if (isAlone || (await this.removals.isLarge(tx, kind.table, id)))
      return this.lock(tx, kind, id, 'UPDATE');
    for (;;) {
      await tx.query({ text: 'SAVEPOINT unlocked', values: [] });
      const before = await this.losing(tx, kind, id);
      for (const [table, ids] of before) await tx.query(lockAll(table, ids, 'NO KEY UPDATE'));
      const row = await this.lock(tx, kind, id, 'UPDATE');
      if (row && farther) await this.removals.lockWays(tx, kind.table, id);
      // No more records can begin to name them now. Those that did while this waited are locked in another round.
      const after = await this.losing(tx, kind, id);
      if ([...after].every(([table, ids]) => ids.every((one) => before.get(table)?.includes(one))))
        return row;
      await tx.query({ text: 'ROLLBACK TO SAVEPOINT unlocked', values: [] });
    }
  }

  insert(tx: Transaction, kind: LinkedKind, values: ReadonlyMap<string, unknown>): Promise<Row> {
    return this.written(tx, kind, this.sql(kind).insert([values]));
  }

  update(tx: Transaction, kind: LinkedKind, id: string, values: ReadonlyMap<string, unknown>): Promise<Row> {
    return this.written(tx, kind, this.sql(kind).update(id, values));
  }

  async remove(tx: Transaction, kind: LinkedKind, id: string): Promise<void> {
    await tx.query(this.sql(kind).remove(id));
  }

  /** Clears the relations that become null when the record is deleted. */
  async detach(tx: Transaction, kind: LinkedKind, id: string): Promise<void> {
    for (const { table, prop } of namingOf(kind)) await tx.query(detach(table, prop, id));
  }

  /** Table → ids of the rows that lose a relation. The record's own row is in the order of its table. */
  private async losing(tx: Transaction, kind: LinkedKind, id: string): Promise<Map<string, string[]>> {
    const direct = namingOf(kind).map(({ table, prop }) => ({
      table,
      statement: idsNaming(table, prop, id),
    }));
    const found = new Map<string, string[]>();
    for (const { table, statement } of [...this.removals.losing(kind.table, id), ...direct]) {
      const ids = (await tx.query(statement)).map((row) => String(row.id));
      if (ids.length) found.set(table, [...(found.get(table) ?? (table === kind.table ? [id] : [])), ...ids]);
    }
    return found;
  }

  private async written(tx: Transaction, kind: LinkedKind, statement: Statement): Promise<Row> {
    const sql = this.sql(kind);
    let [row] = await tx.query(statement);
    if (row && sql.hasFarColumns) [row] = await tx.query(sql.byIds([String(row.id)]));
    if (!row) throw new Error(`A written row of kind ${kind.kind} is gone.`);
    return row as Row;
  }

  private loaderOf(kind: LinkedKind): BatchLoader<Row> {
    const gets = this.gets.get(kind);
    if (!gets) throw unknownKind(kind);
    return gets;
  }
}

/** The relations, of any version of the API, that become null when a record of a kind is deleted. */
function namingOf(kind: LinkedKind): { table: string; prop: PropDef }[] {
  return registeredKinds().flatMap(({ table, columns }) =>
    columns
      .filter(
        ({ relation }) =>
          relation?.type === 'parent' && relation.kind === kind.kind && relation.onDelete === 'null',
      )
      .map((prop) => ({ table, prop })),
  );
}

function unknownKind(kind: LinkedKind): Error {
  return new Error(`Kind ${kind.kind} is not part of this service.`);
}
