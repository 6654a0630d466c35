import type { Requester } from '../common/requester.js';
import type { ApiRequest } from './api-request.js';
import { networkOf } from './client-address.js';

/** The requester of an HTTP request: its user or, without a session, its network. */
export class HttpRequester implements Requester {
  private key: string | undefined;

  constructor(private readonly request: Pick<ApiRequest, 'viewer' | 'ip' | 'raw' | 'server'>) {}

  get fairnessKey(): string {
    return (this.key ??= fairnessKeyOf(this.request));
  }

  isGone(): boolean {
    return this.request.raw.socket.destroyed;
  }

  hasBackpressure(): boolean {
    return this.request.server.unread.isMuch(this.fairnessKey);
  }
}

/** The same for all requests of one user or, without a session, of one network. */
export function fairnessKeyOf({
  viewer,
  ip,
}: Pick<ApiRequest, 'ip'> & Partial<Pick<ApiRequest, 'viewer'>>): string {
  const userId = viewer?.userId ?? null;
  return userId === null ? `network ${networkOf(ip)}` : `user ${userId}`;
}
