import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDeprecation } from '../config/api-deprecated.js';
import { API_PREFIX, basePathOf } from '../common/api-path.js';

const ANY_VERSION = `${API_PREFIX}:`;

/** Sets the headers of a deprecated version on responses under its path. */
export type DeprecationHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

/** Null when no version is deprecated. */
export function deprecationHeaders(deprecated: readonly ApiDeprecation[]): DeprecationHeaders | null {
  if (!deprecated.length) return null;
  const versions = deprecated.map((one) => ({
    path: `${basePathOf(one.version)}/`,
    headers: headersOf(one),
  }));
  return (request, reply) => {
    // The pattern of the route, because a path has several spellings; what has none, or one for all versions, has its
    // path alone.
    const { url } = request.routeOptions;
    const path = url === undefined || url.startsWith(ANY_VERSION) ? decoded(request.raw.url ?? '') : url;
    const found = versions.find((version) => path.startsWith(version.path));
    if (found) void reply.headers(found.headers);
  };
}

/** Installs them for every route; nothing when no version is deprecated. */
export function installDeprecation(instance: FastifyInstance, headers: DeprecationHeaders | null): void {
  if (!headers) return;
  instance.addHook('onRequest', (request, reply, done) => {
    headers(request, reply);
    done();
  });
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594 §3) and `Link` (RFC 8288; RFC 5829 for the successor). */
function headersOf(deprecation: ApiDeprecation): Record<string, string> {
  const { since, sunset, link, sunsetLink, successor } = deprecation;
  const links = [
    ...(link === null ? [] : [`<${link}>; rel="deprecation"`]),
    ...(sunsetLink === null ? [] : [`<${sunsetLink}>; rel="sunset"`]),
    ...(successor === null ? [] : [`<${basePathOf(successor)}/openapi.json>; rel="successor-version"`]),
  ];
  return {
    deprecation: `@${since}`,
    ...(sunset !== null && { sunset: new Date(sunset * 1000).toUTCString() }),
    ...(links.length && { link: links.join(', ') }),
  };
}

function decoded(url: string): string {
  const [path = ''] = url.split('?');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
