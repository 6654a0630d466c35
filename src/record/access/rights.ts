import type { Transaction } from '../../postgres/database.js';
import type { Viewer } from '../../common/viewer.js';

/** Checks whether a caller still has the rights that its request began with. */
export interface Rights {
  /**
   * Part of the transaction that acts, once it has its locks.
   * @throws ApiError 401 when the session is over, 403 when the user's roles or memberships are others by now
   */
  confirm(tx: Transaction, viewer: Viewer): Promise<void>;
}

/** How long a request may rely on the session guard, in milliseconds. */
const FRESH_MS = 1000;

/** Whether a request has waited in a queue or for a lock, so that its rights must be checked again. */
export function hasWaited(viewer: Viewer): boolean {
  return viewer.sessionId !== null && performance.now() - viewer.since > FRESH_MS;
}

/** Whether a user has the roles and the memberships that it had before. */
export function hasSameRights(now: Viewer, before: Viewer): boolean {
  return now.viewerClass === before.viewerClass && now.memberships.key === before.memberships.key;
}
