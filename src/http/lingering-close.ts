import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { closeWith } from './node-internals.js';

/** Milliseconds that a client may go on sending what nobody reads any more. */
const LINGER_MS = 2_000;

/** An unread body up to this many bytes is drained, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;

const closing = new WeakSet<Socket>();

/** Whether a connection is being closed: a request that still comes in on it must not be executed. */
export const isClosing = (socket: Socket): boolean => closing.has(socket);

/**
 * Closes a connection so that the client gets to read the answer: ends our side, throws away what still comes in, and
 * cuts it after {@link LINGER_MS}. A plain close would meet a client that is still sending with a reset, which may
 * destroy the answer before it is read (RFC 9112 §9.6).
 */
export function lingeringClose(socket: Socket): void {
  if (socket.destroyed || isClosing(socket)) return;
  closing.add(socket);
  if (!socket.writableEnded) socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * To be called before an error is sent: a request whose body is too long to drain gets its answer now, and then a
 * {@link lingeringClose}.
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
