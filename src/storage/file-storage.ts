import type { ByteRange } from '../http/byte-range.js';
import type { Readable } from 'node:stream';
import { randomSecret } from '../common/secrets.js';

/** Where an object stands: uploads in `staging`, to which clients have URLs; verified bytes in `final`, to which none has. */
export type Area = 'staging' | 'final';

/**
 * Milliseconds that an upload which began before its URL expired may still take. The embedded storage ends it then; other
 * storages have no such limit, so a key is cleared for good only after this.
 */
export const UPLOAD_TAIL_MS = 24 * 3_600_000;

const KEY = /^(?:staging|final)\/[0-9A-Za-z]{43}$/;

/** A new object key: nobody can guess it, and nothing of it comes from a client. */
export function newKey(area: Area): string {
  return `${area}/${randomSecret()}`;
}

/** Whether a text is one of our keys; whatever touches a disk or a bucket asks. */
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
 * Objects by key: the one interface to wherever the bytes are; also the token to inject it by. Every method but
 * `grantUpload` may throw ApiError 503: the storage is away, and nothing is known of the outcome.
 */
export abstract class FileStorage {
  /** Makes sure that the storage can be used. @throws StartupError with the fix */
  abstract prepare(): Promise<void>;

  /**
   * A URL that takes one PUT of exactly these bytes' length and type until it expires; the storage refuses others.
   * Asks nobody: it works while the storage is away.
   */
  abstract grantUpload(key: string, terms: UploadTerms): Promise<UploadGrant>;

  /**
   * Makes sure that there is room for so many bytes more.
   * @throws ApiError 507; never where the storage alone can know
   */
  abstract checkRoom(bytes: number): Promise<void>;

  /** The size in bytes; null when there is no such object. */
  abstract size(key: string): Promise<number | null>;

  /** The bytes, or a part; null when there is no such object. */
  abstract read(key: string, range?: ByteRange): Promise<Readable | null>;

  /** Stores a local file under a key, whole or not at all. */
  abstract store(key: string, file: string, contentType: string): Promise<void>;

  /** Copies an object, whole or not at all; what is then put to `from` no longer reaches `to`. False: no such object. */
  abstract copy(from: string, to: string): Promise<boolean>;

  /** Removes an object; one that isn't there is fine. */
  abstract remove(key: string): Promise<void>;

  /** Removes half-written objects of processes that died, once they are old enough; called from time to time. */
  abstract sweep(): Promise<void>;

  /** Every key: for tests and repairs, not for requests. */
  abstract keys(): Promise<string[]>;
}
