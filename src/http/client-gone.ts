import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isClosing } from './lingering-close.js';

/** Thrown to abandon a request whose client has disconnected. No response is sent. */
export class ClientGone extends Error {
  constructor() {
    super('The client has left.');
    this.name = 'ClientGone';
  }
}

type Connected = { readonly raw: Pick<FastifyRequest['raw'], 'socket'> };

/** Whether the request's connection is closed or being closed. */
export function isGone({ raw: { socket } }: Connected): boolean {
  return socket.destroyed || isClosing(socket);
}

/** Call it before expensive work. @throws ClientGone */
export function refuseGone(request: Connected): void {
  if (request.raw.socket.destroyed) throw new ClientGone();
}

/** Ends a request without a response. */
export function drop(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Drops requests whose clients have disconnected, at their beginning and after their body was read. */
export function installClientGone(instance: FastifyInstance): void {
  const look = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isGone(request)) drop(request, reply);
    else done();
  };
  instance.addHook('onRequest', look);
  instance.addHook('preHandler', look);
}
