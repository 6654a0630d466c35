import type { ByteRange } from '../http/byte-range.js';
import type { Readable } from 'node:stream';
import { randomSecret } from '../common/secrets.js';

/** The area of an object: `staging` for uploads, by URLs of clients; `final` for verified bytes, without such URLs. */
export type Area = 'staging' | 'final';

/**
 * How long an upload may continue after its URL has expired, in milliseconds. The embedded storage ends it then. Other
 * storages have no such limit, so a key is finally cleared only after this time.
 */
export const UPLOAD_TAIL_MS = 24 * 3_600_000;

const KEY = /^(?:staging|final)\/[0-9A-Za-z]{43}$/;

/** A new object key: nobody can guess it, and nothing of it comes from a client. */
export function newKey(area: Area): string {
  return `${area}/${randomSecret()}`;
}

/** Whether a text has the format of our keys. Checked before any access to a disk or a bucket. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** What a client may upload, and until when. */
export interface UploadTerms {
  readonly contentType: string;
  /** Bytes, exactly. */
  readonly size: number;
  readonly expiresAt: Date;
}

/** A URL for one upload, and the headers that the client must send with it. */
export interface UploadGrant {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The interface to the storage of bytes, by key; also the injection token. Every method except `grantUpload` may throw
 * ApiError 503: the storage is unavailable, and the outcome is unknown.
 */
export abstract class FileStorage {
  /** Makes sure that the storage can be used. @throws StartupError with the fix */
  abstract prepare(): Promise<void>;

  /**
   * A URL that takes one PUT of exactly these bytes' length and type until it expires; the storage refuses others.
   * Works without a connection to the storage.
   */
  abstract grantUpload(key: string, terms: UploadTerms): Promise<UploadGrant>;

  /**
   * Checks that there is room for this many more bytes.
   * @throws ApiError 507; never if only the storage itself can know
   */
  abstract checkRoom(bytes: number): Promise<void>;

  /** The size in bytes; null when there is no such object. */
  abstract size(key: string): Promise<number | null>;

  /** The bytes, or a part; null when there is no such object. */
  abstract read(key: string, range?: ByteRange): Promise<Readable | null>;

  /** Stores a local file under a key, completely or not at all. */
  abstract store(key: string, file: string, contentType: string): Promise<void>;

  /** Copies an object, completely or not at all. Later writes to `from` do not affect `to`. False: no such object. */
  abstract copy(from: string, to: string): Promise<boolean>;

  /** Removes an object. Does nothing if it does not exist. */
  abstract remove(key: string): Promise<void>;

  /** Removes half-written objects of processes that died, once they are old enough; called from time to time. */
  abstract sweep(): Promise<void>;

  /** Every key: for tests and repairs, not for requests. */
  abstract keys(): Promise<string[]>;
}
