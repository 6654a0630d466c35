import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { matchesNone } from '../http/conditional.js';

/** Something that is the same for everybody until the service is another version. */
export interface Cacheable {
  readonly body: string | Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes it, with an entity tag of its bytes. */
export function cacheable(
  body: string | Buffer,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Cacheable {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { body, etag, type, headers };
}

/** A minute without asking, then the entity tag tells. */
const CACHING = 'public, max-age=60';

/** Answers with it, or with 304 to a client that has it, as its `If-None-Match` says. */
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
