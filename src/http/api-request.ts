import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../common/viewer.js';
import type { QueryParams } from './query.js';

/** A request as the controllers get it: the query parsed (request-checks.ts), the viewer known (session guard). */
export interface ApiRequest extends Omit<FastifyRequest, 'query'> {
  readonly query: QueryParams;
  viewer: Viewer;
  /** Public id of the user who asks, for the log; null when nobody is logged in. */
  actor: string | null;
  /** Public id of the record that the request has made, for the log. */
  madeId?: string;
}
