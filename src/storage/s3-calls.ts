import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import http, { type Agent, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../common/error-code.js';
import { withTimeout } from '../common/with-timeout.js';
import { ApiError, storageUnavailable } from '../common/errors.js';

/* Outcomes of a call of the S3 client: a deadline, a missing object, an unavailable storage. */

const LATE = Symbol('late');
const ABSENT = new Set(['NotFound', 'NoSuchKey']);

/** Runs a call; null if the object does not exist. @throws ApiError 503 for every other failure */
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

/** Runs a call. @throws ApiError 503, also for refusals, which callers can't fix */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError ? error : storageUnavailable(error);
  }
}

/** Adds a deadline, which the client lacks. Late results are ignored. @throws ApiError 503 after `ms` milliseconds */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const result = await withTimeout(ms, work, LATE);
  if (result !== LATE) return result;
  work.then(
    (late) => late instanceof Readable && late.destroy(),
    () => undefined,
  );
  throw storageUnavailable();
}

/**
 * Streams a file to a signed URL, and aborts after `ms` milliseconds.
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
  // The rest of the response repeats the key, which must not be logged.
  const [, code = ''] = /<Code>(\w+)</.exec(body) ?? [];
  throw new Error(`The storage answered ${response.statusCode ?? 0} ${code}.`);
}

/** Whether the storage itself has refused: such errors have an S3 code, like `AccessDenied`. */
export function isStorageError(error: unknown): boolean {
  return /^(?!E[A-Z]+$)[A-Z][A-Za-z]+$/.test(codeOf(error));
}
