import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import type { Failure } from '../common/errors.js';

/** The message of Nest's router for a route that is bound to another host. It repeats the URL. */
const OF_THE_ROUTER = /^Cannot [A-Z]+ \//;

/** Whether application code threw it: not Nest's router, and not Fastify, whose errors Nest wraps. */
export function isOwnException(error: unknown): error is HttpException {
  if (!(error instanceof HttpException) || OF_THE_ROUTER.test(error.message)) return false;
  const { cause } = error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return !String(code).startsWith('FST_');
}

interface Content {
  readonly texts: readonly string[];
  readonly data: unknown;
}

const isText = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/** `{statusCode, error, message}` of Nest, or an object of the application. */
function contentOf(response: unknown): Content {
  if (isText(response)) return { texts: [String(response)], data: null };
  // A wrapped error: its text was not written for clients.
  if (typeof response !== 'object' || response === null || response instanceof Error)
    return { texts: [], data: null };
  const {
    message,
    error,
    statusCode: _known,
    data,
    ...others
  } = (Array.isArray(response) ? { message: response as unknown[] } : response) as Record<string, unknown>;
  const texts = [message].flat().filter(isText).map(String);
  if (texts.length === 0) {
    if (isText(error)) texts.push(String(error));
    if (typeof message === 'object' && message !== null) others.message = message;
  }
  if (data !== undefined) return { texts, data };
  return { texts, data: Object.keys(others).length > 0 ? others : null };
}

/**
 * The failure for an exception of application code, with its status and its message, which was written for the client. Of
 * several messages, the first is the error's and the others are warnings, as with our own. Undefined for an invalid status.
 */
export function ownFailure(exception: HttpException, requestId: string | null): Failure | undefined {
  const status = exception.getStatus();
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  const { texts, data } = contentOf(exception.getResponse());
  const [message = STATUS_CODES[status] ?? 'Error', ...others] = texts;
  const warnings = others.map((text) => ({ code: status, message: text, data: null }));
  return {
    status,
    code: status,
    message,
    data: data ?? (status === 500 ? requestId : null),
    extra: warnings.length > 0 ? { warnings } : {},
  };
}
