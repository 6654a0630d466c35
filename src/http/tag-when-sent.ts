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
 * @param tagOf the tag of the answer's text, with its quotes
 */
export function tagWhenSent(
  request: FastifyRequest,
  reply: FastifyReply,
  tagOf: (text: string) => string,
): void {
  reply.serializer((payload: unknown) => {
    const text = JSON.stringify(payload);
    void reply.header('content-type', JSON_TYPE); // Fastify leaves it to whoever serializes
    if (reply.statusCode >= 400) return payloadOf(text); // the answer couldn't be made
    const etag = tagOf(text);
    void reply.header('etag', etag);
    if (!isRead(request) || !matchesNone(request.headers['if-none-match'], etag)) return payloadOf(text);
    void reply.code(304).removeHeader('content-type');
    // Of the answer to a HEAD Fastify takes the length alone.
    return request.method === 'HEAD' ? payloadOf(text) : NO_BODY;
  });
}
