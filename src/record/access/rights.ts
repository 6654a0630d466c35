import type { Transaction } from '../../postgres/database.js';
import type { Viewer } from '../../common/viewer.js';

/** Says whether a caller still has the rights that its request began with. */
export interface Rights {
  /**
   * Part of the transaction that acts, once it has its locks.
   * @throws ApiError 401 when the session is over, 403 when the user's roles are others by now
   */
  confirm(tx: Transaction, viewer: Viewer): Promise<void>;
}

/** Milliseconds for which a request may rely on what the guard has found. */
const FRESH_MS = 1000;

/** Whether a request has waited, in a queue or for a lock, so that its rights are to be asked for again. */
export function hasWaited(viewer: Viewer): boolean {
  return viewer.sessionId !== null && performance.now() - viewer.since > FRESH_MS;
}
