import type { IncomingHttpHeaders } from 'node:http';

/** Compares the hosts of an origin and of the request, without the default port of the origin's scheme. */
const sameHost = (origin: string, host: string): boolean => {
  if (!URL.canParse(origin)) return false; // also the literal `null` of sandboxed pages and redirects
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost;
};

/**
 * Whether a browser says that another site caused this request (Fetch Metadata, and RFC 6454 `Origin`). Requests with
 * neither header come from programs, which have no cookies that a site could abuse.
 * @param headers of the request, names in lower case
 * @param host the authority that the request was sent to
 * @param corsOrigins origins that the operator trusts
 */
export function crossSite(
  headers: IncomingHttpHeaders,
  host: string,
  corsOrigins: readonly string[],
): boolean {
  const { origin } = headers;
  if (origin !== undefined && corsOrigins.includes(origin)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && !sameHost(origin, host);
}
