import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../postgres/database.js';
import { conflict, notFound } from '../common/errors.js';
import type { MediaFacts } from './media/media-jobs.js';
import { RecordEngine } from '../record/record-engine.js';
import { newKey } from '../storage/file-storage.js';
import { StorageRemovals } from './storage-removals.js';

/** How long a lease is valid, in seconds. After that, its process is considered dead. */
export const LEASE_SECONDS = 120;

/** The right to import one file. Removals of the final keys are recorded before anything is stored under them. */
export interface Lease {
  readonly fileId: string;
  readonly token: string;
  readonly stagingKey: string;
  readonly fileKey: string;
  readonly thumbnailKey: string;
}

/** What an import has stored. */
export interface Stored {
  readonly size: number;
  readonly facts: MediaFacts;
  readonly hasThumbnail: boolean;
}

/**
 * The states of an import. Each change is a transaction of its own, so that no lock is held while bytes are processed. If a
 * process dies at any moment, the lease expires, the recorded removals become due, and the file is pending again.
 */
@Injectable()
export class FileLeases {
  constructor(
    private readonly database: Database,
    private readonly engine: RecordEngine,
    private readonly removals: StorageRemovals,
  ) {}

  /** @throws ApiError 404 if the file was deleted, 409 if it is imported, has failed, or is being imported */
  take(fileId: string): Promise<Lease> {
    const token = randomUUID();
    const fileKey = newKey('final');
    const thumbnailKey = newKey('final');
    return this.database.transaction(async (tx) => {
      const text = `SELECT status, "stagingKey", "claimedUntil" > now() AS claimed FROM objectfiles WHERE id = $1 FOR UPDATE`;
      const [file] = await tx.query({ text, values: [fileId] });
      if (!file) throw notFound();
      if (file.status !== 'pending') throw notPending(file.status);
      if (file.claimed === true) throw conflict('This file is already being imported.', 'objectFileId');
      await tx.query({
        text: `UPDATE objectfiles SET claim = $2, "claimedUntil" = now() + $3 * interval '1 second' WHERE id = $1`,
        values: [fileId, token, LEASE_SECONDS],
      });
      await this.removals.record(tx, [fileKey, thumbnailKey], LEASE_SECONDS);
      return { fileId, token, stagingKey: String(file.stagingKey), fileKey, thumbnailKey };
    });
  }

  /** Makes the file ready, with its stored bytes, in the transaction that attaches it. */
  async keep(tx: Transaction, lease: Lease, { size, facts, hasThumbnail }: Stored): Promise<void> {
    await this.lock(tx, lease);
    const keys = hasThumbnail ? [lease.fileKey, lease.thumbnailKey] : [lease.fileKey];
    await this.removals.cancel(tx, keys);
    await this.write(tx, lease, {
      status: 'ready',
      sizeInBytes: size,
      metadata: JSON.stringify(facts),
      fileKey: lease.fileKey,
      thumbnailKey: hasThumbnail ? lease.thumbnailKey : null,
      stagingKey: null,
    });
  }

  /** Marks the file as failed and discards its bytes. */
  async fail(lease: Lease, status: 'verifyFailed' | 'postProcessingFailed'): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.lock(tx, lease);
      await this.write(tx, lease, { status, stagingKey: null });
      await this.discard(tx, lease);
    });
  }

  /**
   * Makes the file pending again after a temporary failure, so that it can be imported again at once. Unless it was kept:
   * the failure may have come after the commit.
   */
  async release(lease: Lease): Promise<void> {
    await this.database.transaction(async (tx) => {
      // Waits for whoever is about to keep it.
      await tx.query({
        text: 'UPDATE objectfiles SET claim = NULL, "claimedUntil" = NULL WHERE id = $1 AND claim = $2',
        values: [lease.fileId, lease.token],
      });
      const text = 'SELECT 1 FROM objectfiles WHERE id = $1 AND "fileKey" = $2';
      const kept = await tx.query({ text, values: [lease.fileId, lease.fileKey] });
      if (!kept.length) await this.discard(tx, lease);
    });
  }

  private async lock(tx: Transaction, { fileId, token }: Lease): Promise<void> {
    const text = 'SELECT status, claim FROM objectfiles WHERE id = $1 FOR UPDATE';
    const [file] = await tx.query({ text, values: [fileId] });
    if (!file) throw notFound('The file has been deleted meanwhile.');
    if (file.status !== 'pending' || file.claim !== token) throw notPending(file.status);
  }

  private async write(tx: Transaction, { fileId }: Lease, values: Record<string, unknown>): Promise<void> {
    const all = { ...values, claim: null, claimedUntil: null };
    await this.engine.store.update(
      tx,
      this.engine.graph.get('ObjectFile'),
      fileId,
      new Map(Object.entries(all)),
    );
  }

  /** Makes the removal of the final keys due now. */
  private discard(tx: Transaction, { fileKey, thumbnailKey }: Lease): Promise<void> {
    return this.removals.record(tx, [fileKey, thumbnailKey], 0);
  }
}

function notPending(status: unknown) {
  const what =
    status === 'ready' || status === 'pending'
      ? 'has already been imported'
      : 'was rejected; upload it again';
  return conflict(`This file ${what}.`, 'objectFileId');
}
