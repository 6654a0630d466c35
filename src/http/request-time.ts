import type { Socket } from 'node:net';

const timed = new WeakSet<Socket>();

/** Whether the current request of this connection has a time limit of its own instead of `requestTimeout`. */
export const hasOwnLimit = (socket: Socket): boolean => timed.has(socket);

/**
 * Runs `work`, which reads a request's body, without `requestTimeout` (limits.ts). `work` must enforce a time limit of its
 * own.
 */
export async function withOwnLimit<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  timed.add(socket);
  try {
    return await work();
  } finally {
    timed.delete(socket);
  }
}
