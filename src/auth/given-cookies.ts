import type { FastifyRequest } from 'fastify';

/** The values of all cookies with this name, in the order of the request; Node joins several headers. */
export function givenCookies({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string[] {
  if (headers.cookie === undefined) return [];
  const pairs = headers.cookie.split(';').map((pair) => pair.split('='));
  return pairs.filter(([given]) => given?.trim() === name).map(([, value = '']) => value.trim());
}
