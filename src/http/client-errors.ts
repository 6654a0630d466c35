import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { JSON_TYPE, errorBody } from './error-response.js';
import { type ApiError, headersTooLarge, malformed, urlTooLong } from '../common/errors.js';
import type { HttpLimits } from './limits.js';
import { shownAddress } from './logging.js';
import { lingeringClose } from './lingering-close.js';
import type { Pipelining } from './pipelining.js';
import { hasOwnLimit } from './request-time.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** What Node's HTTP server reports about a connection. */
export interface ConnectionFault extends Error {
  readonly code?: string;
  /** A Buffer: the bytes that the parser was reading. */
  readonly rawPacket?: unknown;
}

/** Node's word for a client that has passed `headersTimeout` or `requestTimeout`. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The error for a request that the HTTP parser refuses; undefined if the connection should just be closed. */
const errorOf = (fault: ConnectionFault, { urlLength }: HttpLimits): ApiError | undefined => {
  const { code = '', rawPacket } = fault;
  if (code === 'HPE_HEADER_OVERFLOW') {
    const line = Buffer.isBuffer(rawPacket) ? (rawPacket.toString('latin1').split('\n', 1)[0] ?? '') : '';
    return /^[A-Z-]+ \S/.test(line) && line.length > urlLength ? urlTooLong(urlLength) : headersTooLarge();
  }
  return code.startsWith('HPE_') ? malformed('The request is not well-formed HTTP.') : undefined;
};

const rawResponse = (error: ApiError, requestId: string): string => {
  const body = JSON.stringify(errorBody(error));
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${headers.join('')}\r\n${body}`;
};

/**
 * Fastify's `clientErrorHandler`: responds to invalid HTTP with the envelope (400, 431, 414) and closes the connection, so
 * that bytes after an ambiguous message are never parsed as a request (RFC 9112 §11.2). Timeouts just close it.
 */
export function clientErrors(
  log: Pick<FastifyBaseLogger, 'info'>,
  limits: HttpLimits,
  pipelining: Pick<Pipelining, 'endWith' | 'isResponding'>,
) {
  return (fault: ConnectionFault, socket: Socket): void => {
    if (socket.destroyed || socket.writableEnded) return;
    if (fault.code === REQUEST_TIMEOUT && hasOwnLimit(socket)) return; // Node asks once a request, and leaves it to us
    const error = errorOf(fault, limits);
    if (!error) {
      if (fault.code !== 'ECONNRESET') say(log, socket, fault, null);
      socket.destroy();
      return;
    }
    pipelining.endWith(socket, () => {
      const requestId = randomUUID();
      say(log, socket, fault, error, requestId);
      if (!socket.writable || pipelining.isResponding(socket)) {
        socket.destroy();
        return;
      }
      socket.write(rawResponse(error, requestId));
      lingeringClose(socket);
    });
  };
}

function say(
  log: Pick<FastifyBaseLogger, 'info'>,
  { remoteAddress }: Socket,
  { code }: ConnectionFault,
  error: ApiError | null,
  requestId?: string,
): void {
  const status = error?.status ?? null;
  log.info({ address: shownAddress(remoteAddress), code, status, requestId }, 'connection refused');
}
