import { Injectable } from '@nestjs/common';
import type { Transaction } from '../postgres/database.js';
import { registeredKinds } from '../record/schema/kind.js';
import { quote } from '../record/sql/kind-sql.js';
import { columnOf } from '../record/schema/prop.js';
import { RecordEngine } from '../record/record-engine.js';
import { StorageCleaner } from './storage-cleaner.js';

/** Files that a record has just stopped naming. */
@Injectable()
export class UnusedFiles {
  constructor(
    private readonly engine: RecordEngine,
    private readonly cleaner: StorageCleaner,
  ) {}

  /**
   * Deletes a file if it belongs to this user and no record of any kind names it any longer. Part of the transaction that
   * took it out of its record, and which holds other locks by then: so it waits for none, and `finish` does.
   * @param fileId row id of the file
   * @param ownerId row id of the user whose record named it
   */
  remove(tx: Transaction, fileId: string, ownerId: string): Promise<void> {
    return this.removeLocked(tx, fileId, ownerId, ' SKIP LOCKED');
  }

  /** To be called once that transaction is stored: does what it left, as somebody else had the file at that moment. */
  async finish(fileId: string, ownerId: string): Promise<void> {
    const { store, graph } = this.engine;
    const left = await store.get(graph.get('ObjectFile'), fileId);
    if (left) await store.database.transaction((tx) => this.removeLocked(tx, fileId, ownerId, ''));
    this.cleaner.schedule();
  }

  private async removeLocked(tx: Transaction, fileId: string, ownerId: string, how: string): Promise<void> {
    const kind = this.engine.graph.get('ObjectFile');
    const lock = `SELECT 1 FROM "${kind.table}" WHERE id = $1 AND "userId" = $2 FOR UPDATE${how}`;
    if (!(await tx.query({ text: lock, values: [fileId, ownerId] })).length) return;
    // Asked after the lock, which waits for whoever is about to name the file.
    const uses = this.uses().map((use) => `EXISTS (${use})`);
    const unused = uses.length ? `NOT (${uses.join(' OR ')})` : 'true';
    const text = `DELETE FROM "${kind.table}" WHERE id = $1 AND ${unused}`;
    await tx.query({ text, values: [fileId] });
  }

  private uses(): string[] {
    // Whichever version of the API has the relation.
    return registeredKinds().flatMap(({ table, columns }) =>
      columns
        .filter(({ relation }) => relation?.type === 'parent' && relation.kind === 'ObjectFile')
        .map((prop) => `SELECT 1 FROM "${table}" WHERE ${quote(columnOf(prop))} = $1`),
    );
  }
}
