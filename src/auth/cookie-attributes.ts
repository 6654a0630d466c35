import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';

/**
 * What every cookie of the service has (RFC 6265bis): it is for the whole host and no other, and out of reach of
 * scripts. `SameSite=None` holds for secure cookies alone, so it makes them secure.
 */
export function cookieAttributes(
  config: Pick<Config, 'cookieSecure' | 'cookieSameSite'>,
  request: Pick<FastifyRequest, 'protocol'>,
): CookieSerializeOptions {
  const sameSite = config.cookieSameSite;
  // `protocol` is the proxy's word only where TRUST_PROXY says so.
  const secure = config.cookieSecure || sameSite === 'none' || request.protocol === 'https';
  return { path: '/', httpOnly: true, sameSite, secure };
}
