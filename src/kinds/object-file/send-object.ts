import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ApiRequest } from '../../http/api-request.js';
import { notFound, rangeNotSatisfiable } from '../../http/errors.js';
import { byteRange } from '../../storage/byte-range.js';
import type { FileStorage } from '../../storage/file-storage.js';

/** Nothing in a served file may run, load or frame anything, even if a browser is talked into showing it. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/**
 * Streams an object, or the part that `Range` asks for.
 * @param headers of a good answer: content type, disposition, caching
 * @throws ApiError 404 when the bytes are gone, 503
 */
export async function sendObject(
  request: Pick<ApiRequest, 'headers' | 'method'>,
  reply: FastifyReply,
  storage: FileStorage,
  key: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const size = await storage.size(key);
  if (size === null) throw notFound();
  const range = byteRange(request.headers.range, size);
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(size);
  // To a HEAD Fastify lets our own Content-Length stand only beside a stream, which it drains.
  const bytes = request.method === 'HEAD' ? Readable.from([]) : await storage.read(key, range ?? undefined);
  if (bytes === null) throw notFound();
  void reply.headers({ ...headers, 'accept-ranges': 'bytes', 'content-security-policy': FILE_POLICY });
  if (range) {
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  }
  void reply.header('content-length', String(range ? range.end - range.start + 1 : size));
  await reply.send(bytes);
}
