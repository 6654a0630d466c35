import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { storageUnavailable } from '../common/errors.js';
import { SERVICE_LOG } from '../http/logging.module.js';
import { Database, type Transaction } from '../postgres/database.js';
import type { ResultRow } from '../postgres/statement.js';
import { FileStorage, UPLOAD_TAIL_MS } from '../storage/file-storage.js';

/** Seconds in which a storage may still finish what we gave up, or what a process that died has begun. */
const LATE_SECONDS = 600;
/** Removals in one transaction. */
const BATCH = 20;
/** Seconds until the first next try, doubled each time, and at most. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 300;

/**
 * The table `storage_removals`: keys whose bytes are to go, and when. An import writes its keys down before it stores
 * anything under them, and takes them back as it keeps the file; a trigger adds those that leave a row.
 */
@Injectable()
export class StorageRemovals {
  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {}

  /** The keys are due for removal in so many seconds, and once more for what comes late, whatever was due before. */
  async record(tx: Transaction, keys: readonly string[], seconds: number): Promise<void> {
    const text = `INSERT INTO storage_removals (key, "dueAt", "againAt")
      SELECT key, now() + $2 * interval '1 second', now() + ($2 + $3) * interval '1 second' FROM unnest($1::text[]) key
      ON CONFLICT (key) DO UPDATE SET "dueAt" = excluded."dueAt", "againAt" = excluded."againAt"`;
    await tx.query({ text, values: [keys, seconds, LATE_SECONDS] });
  }

  /** The keys stay. @throws ApiError 503 when a removal has been tried or carried out: then the bytes may be gone */
  async cancel(tx: Transaction, keys: readonly string[]): Promise<void> {
    const untouched = 'tries = 0 AND "againAt" IS NOT NULL';
    const text = `DELETE FROM storage_removals WHERE key = ANY($1) AND ${untouched} RETURNING id`;
    const kept = await tx.query({ text, values: [keys] });
    if (kept.length !== keys.length) throw storageUnavailable();
  }

  /** Removes the bytes of what is due, until nothing is, the storage is away, or the service stops. */
  async process(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.database.transaction((tx) => this.removeSome(tx, stop))));
  }

  /**
   * Removes some of what is due; whether there may be more. The rows stay locked meanwhile, so that no import can take a
   * key back whose bytes are about to go. That the transaction may run again is no harm: to remove what is gone is fine.
   */
  private async removeSome(tx: Transaction, stop: AbortSignal): Promise<boolean> {
    const text = `SELECT id, key, tries, "againAt", "againAt" > now() AS again FROM storage_removals
      WHERE "dueAt" <= now() ORDER BY "dueAt" LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const due = await tx.query({ text, values: [] });
    for (const removal of due) {
      if (stop.aborted) return false;
      try {
        await this.storage.remove(String(removal.key));
      } catch (error) {
        await this.postpone(tx, removal);
        this.log.warn({ err: error }, 'a stored file could not be removed yet');
        return false; // the storage is away: the others would wait for it too
      }
      await this.settle(tx, removal);
    }
    return due.length === BATCH;
  }

  /**
   * A key that something may still be put to is removed again: a staging key when its URL is over, and when no upload
   * that began in time can still arrive; a final key when no import can still store there. `againAt` is the last time,
   * and null once that is all that is left to do.
   */
  private async settle(tx: Transaction, { id, again }: ResultRow): Promise<void> {
    const urlEnd = `"againAt" - $2 * interval '1 ms'`;
    const text =
      again === true
        ? `UPDATE storage_removals SET tries = 0,
            "dueAt" = CASE WHEN ${urlEnd} > now() THEN ${urlEnd} + interval '1 s' ELSE "againAt" END,
            "againAt" = CASE WHEN ${urlEnd} > now() THEN "againAt" END
          WHERE id = $1`
        : 'DELETE FROM storage_removals WHERE id = $1';
    await tx.query({ text, values: again === true ? [id, UPLOAD_TAIL_MS] : [id] });
  }

  private async postpone(tx: Transaction, { id, tries }: ResultRow): Promise<void> {
    const seconds = Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** Number(tries));
    const text = `UPDATE storage_removals SET tries = tries + 1, "dueAt" = now() + $2 * interval '1 second' WHERE id = $1`;
    await tx.query({ text, values: [id, seconds] });
  }
}
