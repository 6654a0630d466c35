import type { Transaction } from '../../postgres/database.js';
import type { Viewer } from '../../common/viewer.js';

/** Checks whether a caller still has the rights that its request began with. */
export interface Rights {
  /**
   * Call it within the transaction that acts, once it has its locks.
   * @throws ApiError 401 if the session has ended, 403 if the user's roles have changed
   */
  confirm(tx: Transaction, viewer: Viewer): Promise<void>;
}

/** How long a request may rely on the session guard, in milliseconds. */
const FRESH_MS = 1000;

/** Whether a request has waited in a queue or for a lock, so that its rights must be checked again. */
export function hasWaited(viewer: Viewer): boolean {
  return viewer.sessionId !== null && performance.now() - viewer.since > FRESH_MS;
}
