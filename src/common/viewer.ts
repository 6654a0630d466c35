/**
 * Who is asking. Made once per request by the session guard; every decision of record/access/ takes one.
 * Roles are those of the user at this request, never those at login.
 */
export interface Viewer {
  /** Row id (bigint text) of the user; null for an anonymous caller. */
  readonly userId: string | null;
  /** Names of the user's boolean props that are true. */
  readonly roles: ReadonlySet<string>;
  /** Row id (bigint text) of the session; null for an anonymous caller. */
  readonly sessionId: string | null;
  /** Viewers with the same class differ only in which rows they own: plans are built once per class. */
  readonly viewerClass: string;
  /** When this was so, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/** The caller without a session. */
export const ANONYMOUS: Viewer = {
  userId: null,
  roles: new Set(),
  sessionId: null,
  viewerClass: '',
  since: 0,
};

/** A logged-in caller. */
export function viewerOf(userId: string, roles: Iterable<string>, sessionId: string | null): Viewer {
  const sorted = [...roles].sort();
  const viewerClass = `user:${sorted.join(',')}`;
  return { userId, roles: new Set(sorted), sessionId, viewerClass, since: performance.now() };
}
