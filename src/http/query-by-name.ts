import type { INestApplication } from '@nestjs/common';
import { readQueryBy } from './nest-internals.js';
import type { QueryParams } from './query.js';

const valueOf = (query: unknown, name: string): unknown => {
  const values = query instanceof Map ? (query as QueryParams).get(name) : undefined;
  return values?.length === 1 ? values[0] : values && [...values];
};

/**
 * Makes `@Query('name')` read from the map that `request.query` is here: the value, or an array for a repeated parameter.
 * `@Query()` is the map. Call it before the routes are registered.
 * @returns false if this version of Nest has moved its factory; then only `@Query()` works
 */
export function readQueryByName(app: INestApplication): boolean {
  return readQueryBy(app, valueOf);
}
