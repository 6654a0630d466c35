import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { closeWith } from './node-internals.js';

/** How long a client may continue sending after the response, in milliseconds. */
const LINGER_MS = 2_000;

/** Unread bodies up to this many bytes are drained, so that the connection can be reused. */
const DRAIN_BYTES = 64 * 1024;

const closing = new WeakSet<Socket>();

/** Whether a connection is being closed. Further requests on it must not be executed. */
export const isClosing = (socket: Socket): boolean => closing.has(socket);

/**
 * Closes a connection so that the client can still read the response: ends our side, discards further input, and cuts the
 * connection after {@link LINGER_MS}. A plain close would send a reset to a client that is still sending, which may destroy
 * the response before it is read (RFC 9112 §9.6).
 */
export function lingeringClose(socket: Socket): void {
  if (socket.destroyed || isClosing(socket)) return;
  closing.add(socket);
  if (!socket.writableEnded) socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Call it before sending an error. If the request's body is too long to drain, the connection gets a {@link lingeringClose}
 * after the response.
 */
export function closeAfterResponse(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  if (raw.complete || reply.raw.destroyed) {
    // Fastify closes on any parser error, but this body has been read.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    return;
  }
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  if (coding === undefined && Number(length) <= DRAIN_BYTES) return;
  void reply.header('connection', 'close');
  closeWith(raw.socket, () => {
    lingeringClose(raw.socket);
    raw.resume();
  });
}
