import type { ServerResponse } from 'node:http';
import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ApiRequest } from './api-request.js';
import { matchesNone } from './conditional.js';
import { notFound, rangeNotSatisfiable } from '../common/errors.js';
import { type ByteRange, byteRange } from './byte-range.js';

/** Served bytes may not run, load or frame anything, even if a browser displays them. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
/** A client that reads nothing for this time (milliseconds) has left, or keeps our file open on purpose. */
const STALL_MS = 60_000;

/** A source of bytes; null if there are none. */
export interface Source {
  size(): Promise<number | null>;
  read(range?: ByteRange): Promise<Readable | null>;
}

/** How the bytes are described to the client. */
export interface ServedAs {
  readonly contentType: string;
  /** `Content-Disposition`. */
  readonly disposition: string;
  /** Identifies the bytes: two versions never share it. */
  readonly version: string;
  readonly cacheControl: string;
}

type BytesRequest = Pick<ApiRequest, 'headers' | 'method'>;

/** A source of bytes that holds a text. */
export function textSource(text: string): Source {
  const bytes = Buffer.from(text);
  return {
    size: () => Promise.resolve(bytes.length),
    read: (range) =>
      Promise.resolve(Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes])),
  };
}

/**
 * Streams bytes, or the part that `Range` requests (RFC 9110 §14.2), or sends 304 (§13.1.2).
 * @throws ApiError 404 when there are none, 416, 503
 */
export async function sendBytes(
  request: BytesRequest,
  reply: FastifyReply,
  source: Source,
  served: ServedAs,
): Promise<void> {
  const etag = `"${served.version}"`;
  // Addresses of bytes are public or signed, and made to be shown on pages of other sites too.
  const headers = {
    etag,
    'cache-control': served.cacheControl,
    'cross-origin-resource-policy': 'cross-origin',
  };
  if (matchesNone(request.headers['if-none-match'], etag)) {
    await reply.code(304).headers(headers).send();
    return;
  }
  const size = await source.size();
  if (size === null) throw notFound();
  const range = rangeOf(request, etag, size);
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(size);
  // To a HEAD Fastify lets our own Content-Length stand only beside a stream, which it drains.
  const bytes = request.method === 'HEAD' ? Readable.from([]) : await source.read(range ?? undefined);
  if (bytes === null) throw notFound();
  void reply.headers({
    ...headers,
    'content-type': served.contentType,
    'content-disposition': served.disposition,
    'content-security-policy': POLICY,
    'accept-ranges': 'bytes',
    'content-length': String(range ? range.end - range.start + 1 : size),
  });
  if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  cutWhenStalled(reply.raw, STALL_MS);
  await reply.send(
    request.method === 'HEAD' ? bytes : whole(bytes, range ? range.end - range.start + 1 : size),
  );
}

/**
 * Makes a stream fail if it ends before the announced length, which cuts the connection. Otherwise the client would wait
 * for the rest, or take the next response for it.
 */
function whole(bytes: Readable, length: number): Readable {
  let sent = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      done(null, chunk);
    },
    flush: (done) => done(sent === length ? null : new Error('The storage ended an object early.')),
  });
  // Both streams get the error; Fastify logs it.
  pipeline(bytes, counted, () => undefined);
  return counted;
}

/** Ends a response if the client reads nothing for `ms` milliseconds. */
export function cutWhenStalled(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, () => response.destroy());
}

/** A part is for a GET alone, and only of the version that the client has begun with (RFC 9110 §13.1.5). */
function rangeOf({ method, headers }: BytesRequest, etag: string, size: number) {
  const condition = headers['if-range'];
  if (method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return byteRange(headers.range, size);
}
