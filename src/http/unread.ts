import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './limits.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly unread: Unread;
  }
}

/** The bytes of large answers that have been made and not yet been read, by those whom they are for. */
export class Unread {
  private readonly bytes = new Map<string, number>();

  constructor(private readonly limits: Pick<HttpLimits, 'unreadBytesOfOne'>) {}

  /** To be called when an answer is sent: its bytes count until the system has taken all of them, or its client has left. */
  sent(share: string, bytes: number, response: ServerResponse): void {
    this.count(share, bytes);
    response.once('close', () => this.count(share, -bytes));
  }

  /** Whether somebody has so much to read that more had better not be made. */
  isMuch(share: string): boolean {
    return (this.bytes.get(share) ?? 0) >= this.limits.unreadBytesOfOne;
  }

  private count(share: string, change: number): void {
    const bytes = (this.bytes.get(share) ?? 0) + change;
    if (bytes > 0) this.bytes.set(share, bytes);
    else this.bytes.delete(share);
  }
}
