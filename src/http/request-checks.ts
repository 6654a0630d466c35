import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notJson } from './error-mapping.js';
import { ApiError, malformed, notFound, urlTooLong } from '../common/errors.js';
import type { HttpLimits } from './limits.js';

/**
 * The one content type of a body, in the few spellings that mean nothing else: the media type and the charset are
 * case-insensitive (RFC 9110 §8.3.1); JSON is UTF-8 (RFC 8259 §8.1). No browser form can send it without a preflight.
 */
const JSON_CONTENT = /^application\/json(?:; ?charset=(?:utf-8|"utf-8"))?$/i;

/** Whether the message has a body (RFC 9112 §6.3). */
const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const BODYLESS = new Set(['GET', 'HEAD', 'TRACE']);

const typeFault = (request: FastifyRequest): ApiError | undefined => {
  if (BODYLESS.has(request.method)) return undefined; // a body there has no meaning and is not read
  const type = request.headers['content-type'];
  if (type === undefined) return hasBody(request) ? notJson() : undefined;
  return JSON_CONTENT.test(type) ? undefined : notJson();
};

/** Exactly one Host field in HTTP/1.1 (RFC 9112 §3.2). Node keeps the first of several, so the raw list is counted. */
const hostFault = ({ raw }: FastifyRequest): ApiError | undefined => {
  let hosts = 0;
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = raw.rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return undefined;
  return malformed('The request must have one Host header.');
};

/**
 * Checks every request before its route is called, cheapest first, without reading the body: the URL's length,
 * the Host, a known route, a readable query and the content type.
 */
export function installRequestChecks(instance: FastifyInstance, limits: HttpLimits): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    if ((request.raw.url ?? '').length > limits.urlLength) return done(urlTooLong(limits.urlLength));
    const host = hostFault(request);
    if (host) return done(host);
    if (request.is404) return done(notFound());
    if (request.query instanceof ApiError) return done(request.query);
    return done(request.routeOptions.config.rawBody === true ? undefined : typeFault(request));
  });
}
