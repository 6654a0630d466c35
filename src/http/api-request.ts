import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../common/viewer.js';
import type { QueryParams } from './query.js';

/** A request as the controllers get it: the query parsed (request-checks.ts), the viewer known (session guard). */
export interface ApiRequest extends Omit<FastifyRequest, 'query'> {
  readonly query: QueryParams;
  viewer: Viewer;
  /** Public id of the calling user, for the log; null without a session. */
  actor: string | null;
  /** Public id of the record that the request has created, for the log. */
  madeId?: string;
}
