import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Seconds that a browser may remember a preflight. */
const PREFLIGHT_SECONDS = 600;

/** Response headers that a page may read. */
const EXPOSED = ['deprecation', 'etag', 'link', 'location', 'retry-after', 'sunset', 'x-request-id'];

/**
 * Lets the configured origins call with cookies (Fetch standard, "CORS protocol"). Without origins nothing is installed
 * and no response has a CORS header; an origin that isn't listed is treated the same way.
 */
export function installCors(instance: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  void instance.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowed.has(origin) ? origin : false),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['content-type', 'if-match', 'if-none-match'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}

/** Sets the headers of a response that is sent before any hook runs. Without them, a page could not read the error. */
export function setCors(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  if (origins.length === 0) return;
  const { origin } = request.headers;
  void reply.header('vary', 'Origin');
  if (origin === undefined || !origins.includes(origin)) return;
  void reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-credentials', 'true')
    .header('access-control-expose-headers', EXPOSED.join(', '));
}
