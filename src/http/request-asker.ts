import type { Asker } from '../common/asker.js';
import type { ApiRequest } from './api-request.js';
import { networkOf } from './client-address.js';

/** A request as one who asks the database: its user, or else the network that it came from. */
export class RequestAsker implements Asker {
  private known: string | undefined;

  constructor(private readonly request: Pick<ApiRequest, 'viewer' | 'ip' | 'raw' | 'server'>) {}

  get share(): string {
    return (this.known ??= shareOf(this.request));
  }

  isGone(): boolean {
    return this.request.raw.socket.destroyed;
  }

  isBehind(): boolean {
    return this.request.server.unread.isMuch(this.share);
  }
}

/** The same for all requests of one user, or of one network without a session. */
export function shareOf({
  viewer,
  ip,
}: Pick<ApiRequest, 'ip'> & Partial<Pick<ApiRequest, 'viewer'>>): string {
  const userId = viewer?.userId ?? null;
  return userId === null ? `network ${networkOf(ip)}` : `user ${userId}`;
}
