import type { ServerResponse } from 'node:http';
import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ApiRequest } from './api-request.js';
import { matchesNone } from './conditional.js';
import { notFound, rangeNotSatisfiable } from '../common/errors.js';
import { type ByteRange, byteRange } from './byte-range.js';

/** Nothing in what is served may run, load or frame anything, even if a browser is talked into showing it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
/** A client that takes nothing for so long (milliseconds) has gone, or keeps our file open on purpose. */
const STALL_MS = 60_000;

/** Bytes to send; null where there are none. */
export interface Source {
  size(): Promise<number | null>;
  read(range?: ByteRange): Promise<Readable | null>;
}

/** What is said of them. */
export interface ServedAs {
  readonly contentType: string;
  /** `Content-Disposition`. */
  readonly disposition: string;
  /** Names the bytes: the same text never stands for others. */
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
 * Streams bytes, or the part that `Range` asks for (RFC 9110 §14.2), or says that the client has them (§13.1.2).
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
 * The bytes, which fail when they end before they are as many as was announced: an answer that ended like others would
 * leave the client waiting for the rest, or taking the next answer for it. What fails cuts the connection.
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
  // Both ends hear of what goes wrong; Fastify logs it.
  pipeline(bytes, counted, () => undefined);
  return counted;
}

/** Ends an answer of which the client takes nothing for `ms` milliseconds. */
export function cutWhenStalled(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, () => response.destroy());
}

/** A part is for a GET alone, and only of the version that the client has begun with (RFC 9110 §13.1.5). */
function rangeOf({ method, headers }: BytesRequest, etag: string, size: number) {
  const condition = headers['if-range'];
  if (method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return byteRange(headers.range, size);
}
