import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Background } from '../config/background.js';
import { SERVICE_LOG } from '../http/logging.module.js';
import type { Transaction } from '../postgres/database.js';
import { RecordEngine } from '../record/record-engine.js';
import { registeredKinds } from '../record/schema/kind.js';
import { columnOf } from '../record/schema/prop.js';
import { quote } from '../record/sql/kind-sql.js';
import { FileStorage } from '../storage/file-storage.js';
import { FileVerifier } from './file-verifier.js';
import { ReceivedUploads } from './received-uploads.js';
import { StorageRemovals } from './storage-removals.js';

/** Milliseconds between two cycles; a deletion on this instance starts one at once. */
const CYCLE_MS = 10_000;
/** Milliseconds between two looks for what processes that died have left. */
const LEFTOVERS_MS = 3_600_000;
/** Abandoned uploads that are deleted at a time. */
const ABANDONED_BATCH = 100;

/**
 * Deletes what nobody needs any more: uploads that were abandoned, files that no record names, the bytes of both, and what
 * a process that died has left half-written. Whatever deletes a file's record, the bytes follow (storage-removals.ts).
 * Several instances share that work; what one leaves undone when it dies, another does.
 */
@Injectable()
export class FileCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private timers: NodeJS.Timeout[] = [];
  private running: Promise<void> | null = null;
  private again = false;
  private readonly stop = new AbortController();

  constructor(
    private readonly engine: RecordEngine,
    private readonly removals: StorageRemovals,
    private readonly received: ReceivedUploads,
    private readonly storage: FileStorage,
    private readonly verifier: FileVerifier,
    private readonly background: Background,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.background.enabled) return;
    const removing = setInterval(() => this.schedule(), CYCLE_MS);
    // A process that starts at once after the death can't tell leftovers from what others are still writing.
    const sweeping = setInterval(() => void this.sweepLeftovers(), LEFTOVERS_MS);
    this.timers = [removing.unref(), sweeping.unref()];
    this.schedule();
    await this.sweepLeftovers();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    this.timers.forEach(clearInterval);
    await this.running;
  }

  /** Starts a cycle now, or after the one that runs. */
  schedule(): void {
    if (!this.background.enabled || this.stop.signal.aborted) return;
    if (this.running) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = this.cycle()
      .catch((error: unknown) => {
        // The next cycle tries again.
        this.log.warn({ err: error }, 'removing stored files failed');
      })
      .finally(() => {
        this.running = null;
        if (this.again) this.schedule();
      });
  }

  /** Removes the bytes that no record holds any more, as far as they are due, and counts those of expired uploads. */
  async cycle(): Promise<void> {
    await this.removals.process(this.stop.signal);
    await this.received.measureExpired(this.stop.signal);
  }

  /** Deletes some of the uploads that nobody has imported for a day, and says how many. */
  async deleteAbandoned(): Promise<number> {
    const text = `DELETE FROM objectfiles WHERE id IN (
        SELECT id FROM objectfiles WHERE status = 'pending' AND "createdAt" < now() - interval '1 day'
          AND ("claimedUntil" IS NULL OR "claimedUntil" < now())
        ORDER BY "createdAt" LIMIT ${ABANDONED_BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`;
    return (await this.engine.store.database.write({ text, values: [] })).length;
  }

  /**
   * Deletes a file that a record has just stopped naming, if it belongs to this user and no record of any kind names it any
   * longer. Part of the transaction that took it out of its record, and which holds other locks by then: so it waits for
   * none, and `finishUnused` does.
   * @param fileId row id of the file
   * @param ownerId row id of the user whose record named it
   */
  deleteUnused(tx: Transaction, fileId: string, ownerId: string): Promise<void> {
    return this.deleteLocked(tx, fileId, ownerId, ' SKIP LOCKED');
  }

  /** To be called once that transaction is stored: does what it left, as somebody else had the file at that moment. */
  async finishUnused(fileId: string, ownerId: string): Promise<void> {
    const { store, graph } = this.engine;
    const left = await store.get(graph.get('ObjectFile'), fileId);
    if (left) await store.database.transaction((tx) => this.deleteLocked(tx, fileId, ownerId, ''));
    this.schedule();
  }

  /** Removes half-written files of processes that died; the next time tries again what has failed. */
  async sweepLeftovers(): Promise<void> {
    try {
      await this.storage.sweep();
      await this.verifier.sweep();
    } catch (error) {
      this.log.warn({ err: error }, 'removing half-written files failed');
    }
  }

  private async deleteLocked(tx: Transaction, fileId: string, ownerId: string, how: string): Promise<void> {
    const { table } = this.engine.graph.get('ObjectFile');
    const lock = `SELECT 1 FROM "${table}" WHERE id = $1 AND "userId" = $2 FOR UPDATE${how}`;
    if (!(await tx.query({ text: lock, values: [fileId, ownerId] })).length) return;
    // Asked after the lock, which waits for whoever is about to name the file.
    const uses = usesOfFile();
    const unused = uses.length ? `NOT (${uses.join(' OR ')})` : 'true';
    await tx.query({ text: `DELETE FROM "${table}" WHERE id = $1 AND ${unused}`, values: [fileId] });
  }
}

/** One condition for each column that may name the file `$1`, whichever version of the API has the relation. */
function usesOfFile(): string[] {
  return registeredKinds().flatMap(({ table, columns }) =>
    columns
      .filter(({ relation }) => relation?.type === 'parent' && relation.kind === 'ObjectFile')
      .map((prop) => `EXISTS (SELECT 1 FROM "${table}" WHERE ${quote(columnOf(prop))} = $1)`),
  );
}
