import type { INestApplication } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import { InterceptorsConsumer } from '@nestjs/core/internal';

// What Nest itself uses and does not promise. test/foreign-internals.spec.ts holds every version to it.

export { InterceptorsConsumer };

/** Gives a route method one of its arguments: of which sort, with what its decorator was given, and from which request. */
type Exchange = (type: number | string, data: unknown, given: { req: { query: unknown } }) => unknown;

interface Creator {
  interceptorsConsumer?: InterceptorsConsumer;
  readonly paramsFactory?: { exchangeKeyForValue?: Exchange };
}

/** What makes the handlers of an application's routes. */
const creatorOf = (app: INestApplication): Creator | undefined =>
  (
    app as {
      readonly routesResolver?: { readonly routerExplorer?: { readonly executionContextCreator?: Creator } };
    }
  ).routesResolver?.routerExplorer?.executionContextCreator;

/**
 * Has an application's routes, before they are made, run their interceptors by another consumer.
 * @returns whether this version of Nest keeps its consumer where this looks for it; if not, nothing changes
 */
export function runInterceptorsBy(app: INestApplication, consumer: InterceptorsConsumer): boolean {
  const creator = creatorOf(app);
  if (!(creator?.interceptorsConsumer instanceof InterceptorsConsumer)) return false;
  creator.interceptorsConsumer = consumer;
  return true;
}

/**
 * Has `@Query('name')` of an application's routes, before they are made, read the name by `valueOf`.
 * @returns whether this version of Nest keeps its factory where this looks for it; if not, nothing changes
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
