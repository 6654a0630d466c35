import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesNone } from './conditional.js';
import { payloadOf } from './payload.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Makes Fastify send neither a body nor its length. Its types allow only texts. */
const NO_BODY = null as unknown as string;

/** Whether a request only reads (RFC 9110 §9.2.1), so that the client may have its response already. */
export const isRead = ({ method }: Pick<FastifyRequest, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD';

/**
 * Sets the entity tag of a JSON response when it is serialized, and sends 304 instead to a client that has it (RFC 9110
 * §13.1.2, §15.4.5).
 * @param tagOf returns the tag, with quotes, for the text or its UTF-8 bytes
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
    if (reply.statusCode >= 400) return payload; // serialization failed
    const etag = tagOf(payload);
    void reply.header('etag', etag);
    if (!isRead(request) || !matchesNone(request.headers['if-none-match'], etag)) return payload;
    void reply.code(304).removeHeader('content-type');
    // For HEAD, Fastify uses only the length.
    return request.method === 'HEAD' ? payload : NO_BODY;
  });
}
