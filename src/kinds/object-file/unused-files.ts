import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/database.js';
import { registeredKinds } from '../../record/kind.js';
import { quote } from '../../record/kind-sql.js';
import { columnOf } from '../../record/prop.js';
import { RecordEngine } from '../../record/record-engine.js';
import { StorageKeeper } from './storage-keeper.js';

/** Files that a record has just stopped naming. */
@Injectable()
export class UnusedFiles {
  constructor(
    private readonly engine: RecordEngine,
    private readonly keeper: StorageKeeper,
  ) {}

  /**
   * Deletes a file if it belongs to this user and no record of any kind names it any longer. Part of the transaction that
   * took it out of its record; a file that another transaction takes up meanwhile stays.
   * @param fileId row id of the file
   * @param ownerId row id of the user whose record named it
   */
  async remove(tx: Transaction, fileId: string, ownerId: string): Promise<void> {
    const kind = this.engine.graph.get('ObjectFile');
    const lock = `SELECT 1 FROM "${kind.table}" WHERE id = $1 AND "userId" = $2 FOR UPDATE`;
    if (!(await tx.query({ text: lock, values: [fileId, ownerId] })).length) return;
    // Asked after the lock, which waits for whoever is about to name the file.
    const uses = this.uses().map((use) => `EXISTS (${use})`);
    const unused = uses.length ? `NOT (${uses.join(' OR ')})` : 'true';
    const text = `DELETE FROM "${kind.table}" WHERE id = $1 AND ${unused}`;
    await tx.query({ text, values: [fileId] });
  }

  /** To be called once that transaction is stored. */
  wake(): void {
    this.keeper.wake();
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
