import type { INestApplication } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import { InterceptorsConsumer } from '@nestjs/core/internal';

// Internals of Nest that its documentation does not promise. test/foreign-internals.spec.ts checks every version.

export { InterceptorsConsumer };

/** Returns an argument of a route method, by its type, the data of its decorator, and the request. */
type Exchange = (type: number | string, data: unknown, given: { req: { query: unknown } }) => unknown;

interface Creator {
  interceptorsConsumer?: InterceptorsConsumer;
  readonly paramsFactory?: { exchangeKeyForValue?: Exchange };
}

/** The factory of an application's route handlers. */
const creatorOf = (app: INestApplication): Creator | undefined =>
  (
    app as {
      readonly routesResolver?: { readonly routerExplorer?: { readonly executionContextCreator?: Creator } };
    }
  ).routesResolver?.routerExplorer?.executionContextCreator;

/**
 * Replaces the consumer that runs the interceptors of routes. Call it before the routes are registered.
 * @returns false if this version of Nest has moved its consumer; then nothing changes
 */
export function runInterceptorsBy(app: INestApplication, consumer: InterceptorsConsumer): boolean {
  const creator = creatorOf(app);
  if (!(creator?.interceptorsConsumer instanceof InterceptorsConsumer)) return false;
  creator.interceptorsConsumer = consumer;
  return true;
}

/**
 * Makes `@Query('name')` read the value by `valueOf`. Call it before the routes are registered.
 * @returns false if this version of Nest has moved its factory; then nothing changes
 */
export function readQueryBy(
  app: INestApplication,
  valueOf: (query: unknown, name: string) => unknown,
): boolean {
  const factory = creatorOf(app)?.paramsFactory;
  const exchange = factory?.exchangeKeyForValue?.bind(factory);
  if (!factory || !exchange) return false;
  factory.exchangeKeyForValue = (type, data, given) =>
    type === RouteParamtypes.QUERY && typeof data === 'string' && data !== ''
      ? valueOf(given.req.query, data)
      : exchange(type, data, given);
  return true;
}
