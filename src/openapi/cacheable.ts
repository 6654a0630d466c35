import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { matchesNone } from '../http/conditional.js';

/** Content that is the same for everybody until the service is updated. */
export interface Cacheable {
  readonly body: string | Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates cacheable content, with an entity tag of its bytes. */
export function cacheable(
  body: string | Buffer,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Cacheable {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { body, etag, type, headers };
}

/** Fresh for a minute; then clients revalidate with the entity tag. */
const CACHING = 'public, max-age=60';

/** Sends it, or 304 to a client that has it, by its `If-None-Match`. */
export async function sendCacheable(
  ifNoneMatch: string | undefined,
  reply: FastifyReply,
  { body, etag, type, headers }: Cacheable,
): Promise<void> {
  void reply.headers({ ...headers, etag, 'cache-control': CACHING });
  if (matchesNone(ifNoneMatch, etag)) {
    await reply.code(304).send();
    return;
  }
  await reply.header('content-type', type).send(body);
}
