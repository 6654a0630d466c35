import type { Asker } from '../database/asker.js';
import type { ApiRequest } from './api-request.js';
import { networkOf } from './client-address.js';

/** A request as one who asks the database: its user, or else the network that it came from. */
export class RequestAsker implements Asker {
  constructor(private readonly request: Pick<ApiRequest, 'viewer' | 'ip' | 'raw'>) {}

  get share(): string {
    const { viewer, ip } = this.request;
    return viewer.userId === null ? `network ${networkOf(ip)}` : `user ${viewer.userId}`;
  }

  isGone(): boolean {
    return this.request.raw.socket.destroyed;
  }
}
