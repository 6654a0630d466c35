import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Background } from '../config/background.js';
import { Database, type Transaction } from '../postgres/database.js';
import type { ResultRow } from '../postgres/statement.js';
import { FileStorage, UPLOAD_TAIL_MS } from '../storage/file-storage.js';
import { SERVICE_LOG } from '../http/logging.module.js';

/** Milliseconds between two cycles; a deletion on this instance starts one at once. */
const CYCLE_MS = 10_000;
/** Removals in one transaction. */
const BATCH = 20;
/** Rows that one sweep deletes at a time. */
const SWEEP_BATCH = 100;
/** Seconds until the first next try, doubled each time, and at most. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 300;

/**
 * Takes out of the storage what no file record holds any more: works off `storage_removals`. Several instances share the
 * work; what one leaves undone when it dies, another does.
 */
@Injectable()
export class StorageCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private closed: boolean;

  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    @Inject(SERVICE_LOG) private readonly log: Logger,
    background: Background,
  ) {
    this.closed = !background.enabled;
  }

  onApplicationBootstrap(): void {
    if (this.closed) return;
    this.timer = setInterval(() => this.schedule(), CYCLE_MS);
    this.timer.unref();
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Starts a cycle now, or after the one that runs. */
  schedule(): void {
    if (this.closed) return;
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

  /** One cycle, to its end. */
  async cycle(): Promise<void> {
    while (!this.closed && (await this.database.transaction((tx) => this.removeSome(tx))));
  }

  /** Deletes some of the uploads that nobody has imported for a day, and says how many; the trigger hands their bytes on. */
  async sweepPending(): Promise<number> {
    const text = `DELETE FROM objectfiles WHERE id IN (
        SELECT id FROM objectfiles WHERE status = 'pending' AND "createdAt" < now() - interval '1 day'
          AND ("claimedUntil" IS NULL OR "claimedUntil" < now())
        ORDER BY "createdAt" LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`;
    return (await this.database.write({ text, values: [] })).length;
  }

  /**
   * Removes some of what is due; whether there may be more. The rows stay locked meanwhile, so that no import can take a
   * key back whose bytes are about to go. That the transaction may run again is no harm: to remove what is gone is fine.
   */
  private async removeSome(tx: Transaction): Promise<boolean> {
    const text = `SELECT id, key, tries, "againAt", "againAt" > now() AS again FROM storage_removals
      WHERE "dueAt" <= now() ORDER BY "dueAt" LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    const due = await tx.query({ text, values: [] });
    for (const removal of due) {
      if (this.closed) return false;
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
