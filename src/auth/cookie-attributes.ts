import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';

/**
 * The attributes of all cookies of the service (RFC 6265bis): valid for exactly this host, and not readable by scripts.
 * `SameSite=None` requires secure cookies, so it makes them secure.
 */
export function cookieAttributes(
  config: Pick<Config, 'cookieSecure' | 'cookieSameSite'>,
  request: Pick<FastifyRequest, 'protocol'>,
): CookieSerializeOptions {
  const sameSite = config.cookieSameSite;
  // `protocol` comes from the proxy only if TRUST_PROXY allows it.
  const secure = config.cookieSecure || sameSite === 'none' || request.protocol === 'https';
  return { path: '/', httpOnly: true, sameSite, secure };
}
