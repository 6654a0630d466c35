import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Seconds that a browser may remember a preflight. */
const PREFLIGHT_SECONDS = 600;

/**
 * Lets the configured origins call with cookies (Fetch standard, "CORS protocol"). Without origins nothing is installed
 * and no answer has a CORS header; an origin that isn't listed is treated the same way.
 */
export function installCors(instance: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  void instance.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowed.has(origin) ? origin : false),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['content-type', 'if-match', 'if-none-match'],
    exposedHeaders: ['deprecation', 'etag', 'link', 'location', 'retry-after', 'sunset', 'x-request-id'],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
