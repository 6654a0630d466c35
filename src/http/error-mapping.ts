import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import {
  ApiError,
  type Failure,
  forbidden,
  headersTooLarge,
  internal,
  loginNeeded,
  malformed,
  notFound,
  tooLarge,
  tooSlow,
  unavailable,
  unsupportedType,
} from '../common/errors.js';
import { ruleOf } from '../postgres/sql-states.js';
import { isError } from '../common/is-error.js';
import { isOwnException, ownFailure } from './own-exceptions.js';

/** Properties of the request that the mapping needs. */
export interface ErrorContext {
  /** For the response to an unexpected failure; null if there is no request yet. */
  readonly requestId: string | null;
  /** Bytes that a body of this route may have. */
  readonly bodyLimit: number;
}

/** The 415 for a body that isn't plain JSON. */
export const notJson = (): ApiError =>
  unsupportedType('The body must be of the content type application/json.');

const FASTIFY: Record<string, (context: ErrorContext) => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ bodyLimit }) => tooLarge(bodyLimit),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  FST_ERR_CTP_EMPTY_TYPE: notJson,
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => malformed('The body is not as long as Content-Length says.'),
  FST_ERR_BAD_URL: () => malformed('The path is not percent-encoded UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound(),
  FST_ERR_NOT_FOUND: () => notFound(),
  FST_ERR_HANDLER_TIMEOUT: () => tooSlow(),
};

/** Errors of Fastify, its plugins and Nest's router, by status. Their messages are not used because they repeat the URL. */
const BY_STATUS: Record<number, (context: ErrorContext) => ApiError> = {
  400: () => malformed('The request can’t be read.'),
  401: () => loginNeeded(),
  403: () => forbidden('This is not allowed.'),
  404: () => notFound(),
  413: ({ bodyLimit }) => tooLarge(bodyLimit),
  415: notJson,
  431: headersTooLarge,
  503: () => unavailable('The service can’t do this now. Try again shortly.'),
  504: () => tooSlow(),
};

const byStatus = (status: number, context: ErrorContext): Failure | undefined => {
  const make = BY_STATUS[status];
  if (make) return make(context);
  const message = STATUS_CODES[status];
  if (message === undefined || status < 400 || status >= 500) return undefined;
  return { status, code: status, message, data: null, extra: {} };
};

/** Network failures (libuv) on the way to the database or the storage. */
const NETWORK = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH'.split(
    ' ',
  ),
);

/** Failures that the pg client reports without a code. */
const PG_CLIENT =
  /^(Connection terminated|timeout (exceeded when trying to connect|expired)|Client (has encountered a connection|was closed)|Cannot use a pool after calling end)/;

const fromDatabase = (error: Error): ApiError | undefined => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const kind = ruleOf(code)?.error;
  if (kind === 'tooSlow' || error.message === 'Query read timeout') return tooSlow(error);
  if (kind === 'unavailable' || NETWORK.has(code) || PG_CLIENT.test(error.message)) {
    return unavailable(undefined, error);
  }
  return undefined;
};

/** An error and its inner errors: TypeORM wraps those of the driver, fetch and Nest set `cause`. */
function* chain(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth < 5 && isError(current); depth++) {
    yield current;
    current = 'driverError' in current ? current.driverError : current.cause;
  }
}

const statusOf = (error: Error): number => {
  if (error instanceof HttpException) return error.getStatus();
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 0;
};

/**
 * Maps anything thrown to a failure. Catalogue errors and the application's own HTTP exceptions stay as they are. Errors of
 * Nest's router, Fastify, PostgreSQL and the network are mapped by their codes. Everything else, including what isn't an
 * Error, is a 500 without detail.
 */
export function toFailure(thrown: unknown, context: ErrorContext): Failure {
  for (const error of chain(thrown)) {
    if (error instanceof ApiError) return error;
    if (isOwnException(error)) return ownFailure(error, context.requestId) ?? internal(context.requestId);
    const make = 'code' in error ? FASTIFY[String(error.code)] : undefined;
    if (make) return make(context);
  }
  for (const error of chain(thrown)) {
    // The status first: if a client disconnects within its body, that is an ECONNRESET which Fastify marks as 400.
    const found = byStatus(statusOf(error), context) ?? fromDatabase(error);
    if (found) return found;
  }
  return internal(context.requestId);
}
