/**
 * The caller of a request, as far as access goes. The session guard creates it once per request; every decision of
 * record/access/ takes one. Roles are read for each request, not remembered from the login.
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
  /** When this was read, by `performance.now()`. */
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
