import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import http, { type Agent, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { within } from '../common/within.js';
import { ApiError, storageUnavailable } from '../common/errors.js';

/* What a call of the S3 client may come to: a deadline, an absent object, a storage that is away. */

const LATE = Symbol('late');
const ABSENT = new Set(['NotFound', 'NoSuchKey']);

/** Runs a call; null when the object is not there. @throws ApiError 503 for every other failure */
export async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  return reached(async () => {
    try {
      return await work();
    } catch (error) {
      if (ABSENT.has(codeOf(error))) return null;
      throw error;
    }
  });
}

/** Runs a call. @throws ApiError 503: a refusal can't be fixed by the caller either */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError ? error : storageUnavailable(error);
  }
}

/** The client has no deadline of its own. What comes late is thrown away. @throws ApiError 503 after `ms` milliseconds */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const result = await within(ms, work, LATE);
  if (result !== LATE) return result;
  work.then(
    (late) => late instanceof Readable && late.destroy(),
    () => undefined,
  );
  throw storageUnavailable();
}

/**
 * Streams a file to a signed URL, and breaks off after `ms` milliseconds.
 * @throws Error when the storage does not take it
 */
export async function putFile(
  url: URL,
  headers: Readonly<Record<string, string>>,
  file: string,
  { agent, ms }: { agent: Agent; ms: number },
): Promise<void> {
  const { request } = url.protocol === 'https:' ? https : http;
  const sending = request(url, { method: 'PUT', headers, agent, signal: AbortSignal.timeout(ms) });
  const [[response]] = await Promise.all([
    once(sending, 'response') as Promise<[IncomingMessage]>,
    pipeline(createReadStream(file), sending),
  ]);
  const body = await text(response);
  if (response.statusCode === 200) return;
  // The rest of the answer repeats the key, which is no business of the log's.
  const [, code = ''] = /<Code>(\w+)</.exec(body) ?? [];
  throw new Error(`The storage answered ${response.statusCode ?? 0} ${code}.`);
}

/** Whether the storage itself has said no: such errors have a code of S3's, like `AccessDenied`. */
export function isStorageError(error: unknown): boolean {
  return /^(?!E[A-Z]+$)[A-Z][A-Za-z]+$/.test(codeOf(error));
}

/** The code of an error; empty when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
