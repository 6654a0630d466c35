import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Headers of every response. Responses are data for programs: browsers must not sniff their type, store them, render them
 * as documents or in frames, or let other sites embed them. A handler that serves files may override them.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
});

/** Sets {@link SECURITY_HEADERS} and `X-Request-Id` on a response. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
}

/** Installs them for every route, as the first hook, so that they are set whatever fails later. */
export function installSecurityHeaders(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, reply, done) => {
    setSecurityHeaders(request, reply);
    done();
  });
}
