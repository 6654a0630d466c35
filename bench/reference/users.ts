import type { FastifyRequest } from 'fastify';
import { initialsOf, versionOf } from '../../src/kinds/user/default-picture.js';
import { ids, type Link, LIVE_SESSION, pool, Refusal, sha256, type Viewer } from './common.js';

interface UserRow {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  username: string;
  email: string;
  realName: string | null;
  useAsDisplayName: 'username' | 'email' | 'realName';
  admin: boolean;
  developer: boolean;
  verifiedEmail: boolean;
  avatarId: string | null;
}

/** What an item has beside its props. */
interface Wanted {
  readonly includeLinks: boolean;
  readonly includeMeta: boolean;
}

const COLUMNS = `u.id, u."createdAt", u."updatedAt", u.username, u.email, u."realName", u."useAsDisplayName", u.admin,
  u.developer, u."verifiedEmail", u."avatarId"`;

/** The user of the session: look-up and record are one statement. */
export async function whoami(request: FastifyRequest): Promise<object> {
  const token = request.cookies.appSessionId;
  if (!token) throw new Refusal(401, 'Log in first.');
  const { rows } = await pool.query<UserRow>({
    name: 'whoami',
    text: `SELECT ${COLUMNS} ${LIVE_SESSION}`,
    values: [sha256(token)],
  });
  const [user] = rows;
  if (!user) throw new Refusal(401, 'Log in first.');
  const viewer = { userId: user.id, admin: user.admin };
  return userItem(user, viewer, { includeLinks: false, includeMeta: false });
}

/** The users of a page, by row id. */
export async function usersById(userIds: readonly string[]): Promise<Map<string, UserRow>> {
  const { rows } = await pool.query<UserRow>({
    name: 'users_by_id',
    text: `SELECT ${COLUMNS} FROM users u WHERE u.id = ANY($1)`,
    values: [[...new Set(userIds)]],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** A user as others or as its owners see it. */
export function userItem(row: UserRow, viewer: Viewer | null, { includeLinks, includeMeta }: Wanted): object {
  const isOwner = viewer !== null && (viewer.admin || viewer.userId === row.id);
  const id = ids.encode('User', row.id);
  const { username, email, realName, useAsDisplayName, admin, developer, verifiedEmail } = row;
  const own = isOwner ? { username, email, realName, useAsDisplayName, admin, developer, verifiedEmail } : {};
  const avatarId = row.avatarId === null ? null : ids.encode('ObjectFile', row.avatarId);
  return {
    props: { id, createdAt: row.createdAt, updatedAt: row.updatedAt, ...own, avatarId },
    ...(includeLinks && { links: linksOf(row, id, isOwner, avatarId) }),
    ...(includeMeta && { meta: { kind: 'User', isOwner, displayName: displayNameOf(row) } }),
  };
}

function linksOf(row: UserRow, id: string, isOwner: boolean, avatarId: string | null): Record<string, Link> {
  const base = '/api/v1/users';
  const self = `${base}/${id}`;
  const picture = avatarId ?? versionOf(initialsOf(displayNameOf(row)));
  const own = isOwner ? ['GET'] : [];
  return {
    base: { href: base, methods: ['GET', 'POST'], usage: 'rest' },
    self: { href: self, methods: isOwner ? ['GET', 'PUT', 'DELETE'] : ['GET'], usage: 'rest' },
    avatar: { href: `${self}/avatar`, methods: ['GET'], usage: 'rest' },
    objectfiles: { href: `${self}/objectfiles`, methods: own, usage: 'rest' },
    apikeys: { href: `${self}/apikeys`, methods: own, usage: 'rest' },
    importAvatar: { href: `${self}/import-avatar`, methods: isOwner ? ['PUT'] : [], usage: 'rest' },
    avatarImage: { href: `${self}/avatar-image?v=${picture}`, methods: ['GET'], usage: 'image' },
  };
}

function displayNameOf(row: UserRow): string {
  return row[row.useAsDisplayName] || row.username;
}
