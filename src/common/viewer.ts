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
  /** The records that the user's memberships open. */
  readonly memberships: Memberships;
  /** Viewers with the same class differ only in their standing on rows: plans are built once per class. */
  readonly viewerClass: string;
  /** When this was read, by `performance.now()`. */
  readonly since: number;
}

/** What opens records to a user: the memberships of one kind, or those of some roles alone. */
export interface MembershipSource {
  /** The table of the memberships. */
  readonly table: string;
  /** Values of the membership's role; null: any. */
  readonly roles: readonly string[] | null;
}

/** Equal for the same memberships alone: a role may contain any character, and no roles are not any role. */
export const keyOfSource = ({ table, roles }: MembershipSource): string =>
  `${table} ${roles ? JSON.stringify(roles) : ''}`;

/** The memberships of a user that hold at this request. */
export interface Memberships {
  /** Row ids (bigint text) of the records that they open. */
  records(source: MembershipSource): ReadonlySet<string>;
  /** Whether `records` are all that the database knows of: there is a limit. */
  hasAll(source: MembershipSource): boolean;
  /** Equal for the same memberships. */
  readonly key: string;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Of who is a member of nothing. */
export const NO_MEMBERSHIPS: Memberships = { records: () => NOTHING, hasAll: () => true, key: '' };

/** The caller without a session. */
export const ANONYMOUS: Viewer = {
  userId: null,
  roles: new Set(),
  memberships: NO_MEMBERSHIPS,
  sessionId: null,
  viewerClass: '',
  since: 0,
};

/** A logged-in caller. */
export function viewerOf(
  userId: string,
  roles: Iterable<string>,
  sessionId: string | null,
  memberships = NO_MEMBERSHIPS,
): Viewer {
  const sorted = [...roles].sort();
  const viewerClass = `user:${sorted.join(',')}`;
  return { userId, roles: new Set(sorted), memberships, sessionId, viewerClass, since: performance.now() };
}
