import type { INestApplication } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import type { QueryParams } from './query.js';

type Exchange = (type: number | string, data: unknown, given: { req: { query: unknown } }) => unknown;

/** Where Nest keeps what gives route methods their arguments: no public way leads there. */
interface Routing {
  readonly routesResolver?: {
    readonly routerExplorer?: {
      readonly executionContextCreator?: { readonly paramsFactory?: { exchangeKeyForValue?: Exchange } };
    };
  };
}

const valueOf = (query: unknown, name: string): unknown => {
  const values = query instanceof Map ? (query as QueryParams).get(name) : undefined;
  return values?.length === 1 ? values[0] : values && [...values];
};

/**
 * Lets `@Query('name')` of an application's routes, before they are made, find a parameter in the map that `request.query`
 * is here: its value, or an array of the values of one that was repeated. `@Query()` is the map.
 * @returns whether this version of Nest keeps its factory where this looks for it; if not, only `@Query()` works
 */
export function readQueryByName(app: INestApplication): boolean {
  const factory = (app as Routing).routesResolver?.routerExplorer?.executionContextCreator?.paramsFactory;
  const exchange = factory?.exchangeKeyForValue?.bind(factory);
  if (!factory || !exchange) return false;
  factory.exchangeKeyForValue = (type, data, given) =>
    type === RouteParamtypes.QUERY && typeof data === 'string' && data !== ''
      ? valueOf(given.req.query, data)
      : exchange(type, data, given);
  return true;
}
