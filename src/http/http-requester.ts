import { INTERNAL_REQUESTER, type Requester } from '../common/requester.js';
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

/** Who makes a write. */
export type WriteCaller = Pick<ApiRequest, 'viewer' | 'ip'>;

/** The requester of a write. The write is carried out even if the client has left: it can't know how far that had come. */
export function writeRequesterOf(request: WriteCaller): Requester {
  return { ...INTERNAL_REQUESTER, fairnessKey: fairnessKeyOf(request) };
}

/** The requester of a write for a user who has no session yet. */
export function userRequester(userId: string): Requester {
  return { ...INTERNAL_REQUESTER, fairnessKey: userKey(userId) };
}

/** The same for all requests of one user or, without a session, of one network. */
export function fairnessKeyOf({
  viewer,
  ip,
}: Pick<ApiRequest, 'ip'> & Partial<Pick<ApiRequest, 'viewer'>>): string {
  const userId = viewer?.userId ?? null;
  return userId === null ? `network ${networkOf(ip)}` : userKey(userId);
}

const userKey = (userId: string): string => `user ${userId}`;
