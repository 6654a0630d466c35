import type { INestApplication } from '@nestjs/common';
import { readQueryBy } from './nest-internals.js';
import type { QueryParams } from './query.js';

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
  return readQueryBy(app, valueOf);
}
