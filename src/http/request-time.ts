import type { Socket } from 'node:net';

const timed = new WeakSet<Socket>();

/** Whether the request that comes in on this connection has a limit of its own instead of `requestTimeout`. */
export const hasOwnLimit = (socket: Socket): boolean => timed.has(socket);

/**
 * Runs `work`, which reads a request's body, without the limit for a whole request (limits.ts): it must see to it by
 * itself that a client can't take for ever.
 */
export async function withOwnLimit<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  timed.add(socket);
  try {
    return await work();
  } finally {
    timed.delete(socket);
  }
}
