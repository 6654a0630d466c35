import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './limits.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly unread: Unread;
  }
}

/** Counts the unread bytes of large responses for each fairness key. */
export class Unread {
  private readonly bytes = new Map<string, number>();

  constructor(private readonly limits: Pick<HttpLimits, 'unreadBytesOfOne'>) {}

  /** Call it when a response is sent. Its bytes count until the operating system has accepted all, or the client left. */
  sent(fairnessKey: string, bytes: number, response: ServerResponse): void {
    this.count(fairnessKey, bytes);
    response.once('close', () => this.count(fairnessKey, -bytes));
  }

  /** Whether there are so many unread bytes that no further large response should be built. */
  isMuch(fairnessKey: string): boolean {
    return (this.bytes.get(fairnessKey) ?? 0) >= this.limits.unreadBytesOfOne;
  }

  private count(fairnessKey: string, change: number): void {
    const bytes = (this.bytes.get(fairnessKey) ?? 0) + change;
    if (bytes > 0) this.bytes.set(fairnessKey, bytes);
    else this.bytes.delete(fairnessKey);
  }
}
