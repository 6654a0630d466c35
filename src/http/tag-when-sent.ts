import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesNone } from './conditional.js';
import { payloadOf } from './payload.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Fastify sends neither a body nor its length for it; its types know texts alone. */
const NO_BODY = null as unknown as string;

/** Whether a request only reads (RFC 9110 §9.2.1), so that its answer may be one that the client has. */
export const isRead = ({ method }: Pick<FastifyRequest, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD';

/**
 * Gives a JSON answer its entity tag when it is written, and sends 304 in its place to a client that has it (RFC 9110
 * §13.1.2, §15.4.5).
 * @param tagOf the tag of the answer's text, or of the same in UTF-8, with its quotes
 */
export function tagWhenSent(
  request: FastifyRequest,
  reply: FastifyReply,
  tagOf: (text: string | Buffer) => string,
): void {
  reply.serializer((body: unknown) => {
    const text = JSON.stringify(body);
    void reply.header('content-type', JSON_TYPE); // Fastify leaves it to whoever serializes
    const payload = payloadOf(text);
    if (reply.statusCode >= 400) return payload; // the answer couldn't be made
    const etag = tagOf(payload);
    void reply.header('etag', etag);
    if (!isRead(request) || !matchesNone(request.headers['if-none-match'], etag)) return payload;
    void reply.code(304).removeHeader('content-type');
    // Of the answer to a HEAD Fastify takes the length alone.
    return request.method === 'HEAD' ? payload : NO_BODY;
  });
}
