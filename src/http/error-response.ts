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

/** The media type of every response, whatever `Accept` says. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The envelope of a failure, with `warnings` if there are any. */
export function errorBody(error: Failure): ErrorBody {
  const { code, message, data } = error;
  const warnings = [...boundedWarnings(error.extra.warnings ?? [])];
  return warnings.length > 0
    ? { error: { code, message, data }, warnings }
    : { error: { code, message, data } };
}

/** Headers about a body that the handler then failed to send. */
const BODY_HEADERS = ['content-length', 'content-encoding', 'content-disposition', 'etag', 'last-modified'];

/** A rate limiter that throws an exception of Nest gives the delay only in a header. */
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

/** Logs server errors with all detail, because the client gets none of it. */
const report = (thrown: unknown, error: Failure, request: LoggedRequest): void => {
  request.errorCode = error.code;
  if (error.status < 500) return;
  const err = isError(thrown)
    ? thrown
    : new Error(`A ${thrown === null ? 'null' : typeof thrown} was thrown`);
  reporterOf(request).write(request.log, err, error.status);
};

/**
 * Sends the error envelope for anything thrown. Does nothing if a response was already sent. Cuts the connection if part of
 * one was, because the client would take it as complete.
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
