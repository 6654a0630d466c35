import { Injectable } from '@nestjs/common';
import { storageFull } from '../common/errors.js';
import { Config } from '../config/config.js';
import { Database } from '../postgres/database.js';
import { FileStorage, UPLOAD_TAIL_MS } from '../storage/file-storage.js';

/** Uploads that {@link ReceivedUploads.measureExpired} looks at in one call. */
const BATCH = 100;
/** The received bytes of all pending uploads, except those of the key `$1`. */
const OTHERS =
  'SELECT coalesce(sum("receivedBytes"), 0) AS bytes FROM objectfiles' +
  ` WHERE status = 'pending' AND "receivedBytes" > 0 AND "stagingKey" <> $1`;

/**
 * The bytes that have arrived from all users and are not imported yet (MAX_PENDING_BYTES_IN_ALL). Bytes that were only
 * declared do not count: anybody could declare enough to keep everybody else out.
 */
@Injectable()
export class ReceivedUploads {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly storage: FileStorage,
  ) {}

  /**
   * @param stagingKey of an upload that may be there already, and does not count then
   * @throws ApiError 507 if there is no room for so many bytes more
   */
  async checkRoom(size: number, stagingKey = ''): Promise<void> {
    const statement = { name: 'received_bytes', text: OTHERS, values: [stagingKey], table: 'objectfiles' };
    const [row] = await this.database.read('list', statement);
    if (Number(row?.bytes) + size > this.config.maxPendingBytesInAll) throw storageFull();
  }

  /** Records that all bytes of an upload are there. */
  async record(stagingKey: string): Promise<void> {
    await this.store(stagingKey, '"sizeInBytes"', []);
  }

  /**
   * Measures uploads whose URL has expired, because a bucket receives them without telling the service. Bytes that arrive
   * in a bucket even later do not count.
   */
  async measureExpired(signal: AbortSignal): Promise<void> {
    const text =
      `SELECT "stagingKey" FROM objectfiles WHERE status = 'pending' AND "receivedBytes" IS NULL` +
      ` AND "uploadsEndAt" < now() + $1 * interval '1 millisecond' LIMIT ${BATCH}`;
    const statement = {
      name: 'expired_uploads',
      text,
      values: [UPLOAD_TAIL_MS],
      table: 'objectfiles',
    };
    for (const { stagingKey } of await this.database.read('list', statement)) {
      if (signal.aborted) return;
      const key = String(stagingKey);
      const size = await this.storage.size(key).catch(() => undefined);
      // The storage is unavailable: the next cycle tries again.
      if (size === undefined) return;
      await this.store(key, '$2', [size ?? 0]);
    }
  }

  private async store(stagingKey: string, bytes: string, values: readonly number[]): Promise<void> {
    const text = `UPDATE objectfiles SET "receivedBytes" = ${bytes} WHERE "stagingKey" = $1 AND status = 'pending'`;
    await this.database.write({ text, values: [stagingKey, ...values], table: 'objectfiles' });
  }
}
