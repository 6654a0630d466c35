import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientGone, drop } from './client-gone.js';
import type { Failure, Warning } from '../common/errors.js';
import { toFailure } from './error-mapping.js';
import { isError } from '../common/is-error.js';
import { closeAfterResponse } from './lingering-close.js';
import type { LoggedRequest } from './logging.js';
import { RepeatedErrors } from './repeated-errors.js';
import { boundedWarnings } from './warnings.js';

/** The body of every failure. */
export interface ErrorBody {
  error: { code: number; message: string; data: unknown };
  warnings?: Warning[];
}

/** The media type of every answer, whatever `Accept` says. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The envelope of a failure; `warnings` only when there are some. */
export function errorBody(error: Failure): ErrorBody {
  const { code, message, data } = error;
  const warnings = [...boundedWarnings(error.extra.warnings ?? [])];
  return warnings.length > 0
    ? { error: { code, message, data }, warnings }
    : { error: { code, message, data } };
}

/** What a handler may have said about the body that it then failed to send. */
const BODY_HEADERS = ['content-length', 'content-encoding', 'content-disposition', 'etag', 'last-modified'];

/** A limiter that throws an exception of Nest's says in a header alone how long to wait. */
const secondsOf = (retryAfter: unknown): number | null =>
  /^\d{1,9}$/.test(String(retryAfter)) ? Number(retryAfter) : null;

const reporters = new WeakMap<FastifyInstance, RepeatedErrors>();

const reporterOf = ({ server }: FastifyRequest): RepeatedErrors => {
  const known = reporters.get(server);
  if (known) return known;
  const made = new RepeatedErrors(server.log);
  reporters.set(server, made);
  return made;
};

/** Server faults go to the log with all detail, as none of it goes to the client. */
const report = (thrown: unknown, error: Failure, request: LoggedRequest): void => {
  request.errorCode = error.code;
  if (error.status < 500) return;
  const err = isError(thrown)
    ? thrown
    : new Error(`A ${thrown === null ? 'null' : typeof thrown} was thrown`);
  reporterOf(request).write(request.log, err, error.status);
};

/**
 * Answers a request with the envelope for whatever was thrown. Does nothing when the answer is already on its way; cuts
 * the connection when half of it is, as the client would take it for whole.
 */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (thrown instanceof ClientGone) return drop(request, reply);
  const error = toFailure(thrown, { requestId: request.id, bodyLimit: request.routeOptions.bodyLimit });
  report(thrown, error, request);
  if (reply.sent) return;
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  for (const name of BODY_HEADERS) reply.removeHeader(name);
  const body = errorBody(error);
  if (error.status === 429) body.error.data ??= secondsOf(reply.getHeader('retry-after'));
  reply.headers(error.extra.headers ?? {});
  closeAfterResponse(request, reply);
  void reply.code(error.status).header('content-type', JSON_TYPE).send(body);
}
