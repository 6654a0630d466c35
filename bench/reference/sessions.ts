import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../../src/common/secrets.js';
import { ids, pool, Refusal, sha256 } from './common.js';

interface SessionRow {
  createdAt: Date;
  updatedAt: Date;
  userId: string;
  type: string;
  expiresAt: Date;
}

/** Seconds. */
const LIFETIME = 604_800;
const MAX_CHARACTERS = 256;
const text = { type: 'string', minLength: 1, maxLength: MAX_CHARACTERS };

export const loginSchema = {
  type: 'object',
  properties: { apiKey: text, privateKey: text },
  required: ['apiKey', 'privateKey'],
};

/**
 * Login by API key: one statement finds the key, another notes its use and makes the session. It hashes as the service
 * does, compares in constant time, and counts no tries.
 */
export async function login(
  request: FastifyRequest<{ Body: { apiKey: string; privateKey: string } }>,
  reply: FastifyReply,
): Promise<object> {
  const { apiKey, privateKey } = request.body;
  const id = ids.decode('APIKey', apiKey) ?? '0';
  const { rows: keys } = await pool.query<{ secretHash: string }>({
    name: 'login_key',
    text: 'SELECT "secretHash" FROM apikeys WHERE id = $1 AND ("expiresAt" IS NULL OR "expiresAt" > now())',
    values: [id],
  });
  const stored = Buffer.from(keys[0]?.secretHash ?? sha256(''));
  const fits = timingSafeEqual(Buffer.from(sha256(privateKey)), stored);
  const token = `v${randomSecret()}`;
  const session = keys[0] && fits ? await insert(id, token) : undefined;
  if (!session) throw new Refusal(401, 'Login failed.', 454);
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: false, maxAge: LIFETIME } as const;
  void reply.code(201).setCookie('appSessionId', token, attributes);
  const { createdAt, updatedAt, userId, type, expiresAt } = session;
  return { props: { id: token, createdAt, updatedAt, userId: ids.encode('User', userId), type, expiresAt } };
}

async function insert(keyId: string, token: string): Promise<SessionRow | undefined> {
  const { rows } = await pool.query<SessionRow>({
    name: 'login_session',
    text: `WITH k AS (UPDATE apikeys SET "lastUsedAt" = now()
        WHERE id = $1 AND ("expiresAt" IS NULL OR "expiresAt" > now()) RETURNING id, "userId", "expiresAt")
      INSERT INTO sessions ("userId", type, "apiKeyId", "tokenHash", "expiresAt")
      SELECT k."userId", 'apiKey', k.id, $2, least(now() + $3 * interval '1 second', k."expiresAt") FROM k
      RETURNING "createdAt", "updatedAt", "userId", type, "expiresAt"`,
    values: [keyId, sha256(token), LIFETIME],
  });
  return rows[0];
}
