import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Pool } from 'pg';
import { Ids } from '../../src/record/ids/ids.js';

/*
 * Public ids are made by the service's own code (src/record/ids/ids.ts), since the JSON must be the same. It costs about
 * 1.5 µs an id and one AES call a column of a page: an expert who wants ids that can't be guessed would pay no less.
 */
export const ids = new Ids(process.env.APP_SECRET ?? '');

export const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });

/** Who asks. */
export interface Viewer {
  readonly userId: string;
  readonly admin: boolean;
}

/** A link of a record. */
export type Link = { href: string; methods: string[]; usage: string };

/** An answer that is no success. `code` differs from the status for a few. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code = status,
  ) {
    super(message);
  }
}

/** A live session by the hash of its token, as one statement: what every request with a cookie pays. */
export const LIVE_SESSION = `FROM sessions s JOIN users u ON u.id = s."userId"
  LEFT JOIN apikeys k ON k.id = s."apiKeyId"
  WHERE s."tokenHash" = $1 AND s."expiresAt" > now() AND (k."expiresAt" IS NULL OR k."expiresAt" > now())`;

/** The user of the session cookie; null without one. */
export async function viewerOf(request: FastifyRequest): Promise<Viewer | null> {
  const token = request.cookies.appSessionId;
  if (!token) return null;
  const { rows } = await pool.query<Viewer>({
    name: 'session',
    text: `SELECT s."userId", u.admin ${LIVE_SESSION}`,
    values: [sha256(token)],
  });
  if (!rows[0]) throw new Refusal(401, 'Log in first.');
  return rows[0];
}

/** The user of the session cookie, which must be there. */
export async function loggedIn(request: FastifyRequest): Promise<Viewer> {
  const viewer = await viewerOf(request);
  if (!viewer) throw new Refusal(401, 'Log in first.');
  return viewer;
}

/** How tokens and keys are stored. */
export const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex');
