import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { storageUnavailable } from '../common/errors.js';
import { SERVICE_LOG } from '../http/logging.module.js';
import { Database, type Transaction } from '../postgres/database.js';
import type { ResultRow } from '../postgres/statement.js';
import { FileStorage, UPLOAD_TAIL_MS } from '../storage/file-storage.js';

/** How long a storage may take to finish abandoned writes, ours or of a dead process, in seconds. */
const LATE_SECONDS = 600;
/** Removals in one transaction. */
const BATCH = 20;
/** Seconds until the first next try, doubled each time, and at most. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 300;

/**
 * The table `storage_removals`: keys whose bytes must be removed, and when. An import records its keys before it stores
 * anything under them, and cancels them when it keeps the file. A trigger adds keys that are removed from a row.
 */
@Injectable()
export class StorageRemovals {
  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {}

  /** Makes the removal of keys due in this many seconds, and once more for late writes. Replaces earlier due times. */
  async record(tx: Transaction, keys: readonly string[], seconds: number): Promise<void> {
    const text = `INSERT INTO storage_removals (key, "dueAt", "againAt")
      SELECT key, now() + $2 * interval '1 second', now() + ($2 + $3) * interval '1 second' FROM unnest($1::text[]) key
      ON CONFLICT (key) DO UPDATE SET "dueAt" = excluded."dueAt", "againAt" = excluded."againAt"`;
    await tx.query({ text, values: [keys, seconds, LATE_SECONDS] });
  }

  /** Cancels removals. @throws ApiError 503 if one was tried already: the bytes may be gone */
  async cancel(tx: Transaction, keys: readonly string[]): Promise<void> {
    const untouched = 'tries = 0 AND "againAt" IS NOT NULL';
    const text = `DELETE FROM storage_removals WHERE key = ANY($1) AND ${untouched} RETURNING id`;
    const kept = await tx.query({ text, values: [keys] });
    if (kept.length !== keys.length) throw storageUnavailable();
  }

  /** Removes bytes until no removal is due, the storage is unavailable, or the service stops. */
  async process(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.database.transaction((tx) => this.removeSome(tx, stop))));
  }

  /**
   * Executes some due removals. Returns whether there may be more. The rows stay locked meanwhile, so that no import can
   * cancel a removal in progress. The transaction may run again, because removing missing bytes is harmless.
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
   * Schedules another removal of a key that may still be written: a staging key after its URL has expired, and again when no
   * upload can still be running; a final key when no import can still store there. `againAt` is the last time; null once
   * that is the only one left.
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
