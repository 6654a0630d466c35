import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { forbidden, methodNotAllowed, notFound } from '../common/errors.js';

/**
 * Says whether a path that matches a route's pattern is one at all: `/users/:id/:relation` matches any third segment,
 * but only the names of relations exist. By default every match exists.
 */
export type PathExists = (pattern: string, params: Readonly<Record<string, string>>) => boolean;

/** Collects the routes of a Fastify instance and completes each path with its missing methods. */
export interface MethodTable {
  /**
   * Adds, for every path known so far, a route for the methods that it lacks: 405 with `Allow`, or 403 where the path
   * is signed for its own (`isSigned`); OPTIONS with 204 and `Allow` (RFC 9110 §15.5.6, §9.3.7). To be called once, when
   * all routes stand.
   */
  complete(): void;
}

/** CONNECT never reaches a route: Node closes such a connection. */
const KNOWN_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const isPath = (request: FastifyRequest, pattern: string, exists: PathExists): boolean => {
  const params = request.params as Record<string, string>;
  const isWhole = Object.entries(params).every(([name, value]) => value !== '' || name === '*');
  return isWhole && exists(pattern, params);
};

interface KnownPath {
  readonly methods: Set<string>;
  readonly isSigned: boolean;
}

const addMissing = (
  instance: FastifyInstance,
  pattern: string,
  { methods, isSigned }: KnownPath,
  exists: PathExists,
): void => {
  const missing = instance.supportedMethods.filter((method) => !methods.has(method));
  const allow = [...new Set([...methods, 'OPTIONS'])].sort();
  const refusal = () =>
    isSigned ? forbidden('This address is signed for another method.') : methodNotAllowed(allow);
  instance.route({
    method: missing,
    url: pattern,
    config: { rawBody: true },
    // In a hook, so that it comes before the body is read.
    onRequest: (request, reply, done) => {
      if (!isPath(request, pattern, exists)) return done(notFound());
      if (request.method !== 'OPTIONS') return done(refusal());
      void reply.code(204).header('allow', allow.join(', ')).send();
    },
    handler: () => {
      throw refusal();
    },
  });
};

/** Starts to collect: call it before the first route is registered. */
export function collectMethods(instance: FastifyInstance, exists: PathExists = () => true): MethodTable {
  const paths = new Map<string, KnownPath>();
  let isComplete = false;
  instance.addHook('onRoute', ({ url, method, config }: RouteOptions) => {
    if (isComplete || url === '*') return; // `*` is the preflight route of @fastify/cors
    const path = paths.get(url) ?? { methods: new Set(), isSigned: config?.isSigned === true };
    paths.set(url, path);
    for (const name of [method].flat()) path.methods.add(name);
  });
  const complete = (): void => {
    isComplete = true;
    for (const method of KNOWN_METHODS) {
      if (!instance.supportedMethods.includes(method)) instance.addHttpMethod(method, { hasBody: true });
    }
    for (const [pattern, path] of paths) addMissing(instance, pattern, path, exists);
  };
  return { complete };
}
