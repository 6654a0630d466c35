import type { Transaction } from '../../postgres/database.js';
import type { Viewer } from '../../common/viewer.js';

/** Checks whether a caller still has the rights that its request began with. */
export interface Rights {
  /**
   * Call it within the transaction that acts, once it has its locks.
   * @throws ApiError 401 if the session has ended, 403 if the user's roles or memberships have changed
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
