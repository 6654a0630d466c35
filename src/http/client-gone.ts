import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isClosing } from './lingering-close.js';

/** Thrown where a request is left because nobody is there to hear its answer. It has no answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client has left.');
    this.name = 'ClientGone';
  }
}

type Connected = { readonly raw: Pick<FastifyRequest['raw'], 'socket'> };

/** Whether the connection that a request came in on is over or being closed. */
export function isGone({ raw: { socket } }: Connected): boolean {
  return socket.destroyed || isClosing(socket);
}

/** To be called before dear work. @throws ClientGone */
export function refuseGone(request: Connected): void {
  if (request.raw.socket.destroyed) throw new ClientGone();
}

/** Ends a request without an answer. */
export function drop(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/** Drops what nobody waits for any more, when it begins and once its body is read: before the guard. */
export function installClientGone(instance: FastifyInstance): void {
  const look = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isGone(request)) drop(request, reply);
    else done();
  };
  instance.addHook('onRequest', look);
  instance.addHook('preHandler', look);
}
