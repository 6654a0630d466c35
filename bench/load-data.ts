import '../src/app.module.js'; // registers the kinds of the service …
import './article.js'; // … and ours: its table is made with theirs
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { connect } from '../src/database/connect.js';
import { pendingSchema } from '../src/database/pending-schema.js';
import { hashOfSecret, randomSecret } from '../src/common/secrets.js';
import { USERS } from './constants.js';
import { WORDS } from './words.js';

/** The first users are logged in, one session each. */
const SESSIONS = 100;

/** A logged-in user. */
export interface Login {
  /** Row id of the user. */
  readonly userId: number;
  /** Value of the session cookie. */
  readonly token: string;
}

/** An API key, one for each user. */
export interface Key {
  /** Row id of the key, and of its user. */
  readonly id: number;
  readonly privateKey: string;
}

/** Whom requests can come from. */
export interface Callers {
  readonly logins: readonly Login[];
  readonly keys: readonly Key[];
}

/**
 * Fills an empty database: all that the service's own migrations and declarations make for its kinds and for Article
 * (tables, indexes, triggers, whatever there is), {@link USERS} users with an API key each, `rows` articles (article i
 * belongs to user 1 + (i − 1) mod USERS, see {@link ownerOf}) and sessions.
 */
export async function loadData(
  url: string,
  rows: number,
  progress: (line: string) => void,
): Promise<Callers> {
  const dataSource = await connect({ url, statementTimeoutMs: 60_000, progress: () => undefined });
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    const schema = (await pendingSchema(dataSource)).up;
    // Everything but tables after the rows: for a million of them this saves minutes.
    for (const text of schema.filter(isTable)) await client.query(text);
    progress(`Loading ${USERS} users and ${rows} articles …`);
    await insertUsers(client);
    await insertArticles(client, rows);
    progress('Indexing …');
    for (const text of schema.filter((one) => !isTable(one))) await client.query(text);
    await checkSchema(dataSource);
    const callers = { keys: await insertKeys(client), logins: await insertSessions(client) };
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
    return callers;
  } finally {
    await client.end();
    await dataSource.destroy();
  }
}

/** The owner of article `row`. */
export const ownerOf = (row: number): number => 1 + ((row - 1) % USERS);

const isTable = (text: string): boolean => text.startsWith('CREATE TABLE');

/** The table that is measured is the one that a migration would make, to the last index. */
async function checkSchema(dataSource: DataSource): Promise<void> {
  const { up } = await pendingSchema(dataSource);
  if (up.length) throw new Error(`The database lacks something of what the kinds declare: ${up.join('; ')}`);
}

async function insertUsers(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO users (id, username, "usernameFolded", email, "emailFolded", "passwordHash")
     SELECT i, 'user' || i, 'user' || i, 'user' || i || '@mail.test', 'user' || i || '@mail.test', 'none'
     FROM generate_series(1, $1::int) i`,
    [USERS],
  );
  await client.query(`SELECT setval(pg_get_serial_sequence('users', 'id'), $1)`, [USERS]);
}

async function insertArticles(client: Client, rows: number): Promise<void> {
  await client.query(
    `INSERT INTO dummyarticles (id, "createdAt", "updatedAt", title, body, status, views, "editorNote", "userId")
     SELECT i, t, t, ${title}, ${body}, (array['draft', 'published', 'archived'])[1 + i % 3],
       (i::bigint * 7919) % 100000, 'Note ' || i, 1 + (i - 1) % $2::int
     FROM generate_series(1, $1::int) i, LATERAL (SELECT timestamptz '2026-01-01Z' + i * interval '1 second' AS t),
       (SELECT $3::text[] AS w)`,
    [rows, USERS, WORDS],
  );
  await client.query(`SELECT setval(pg_get_serial_sequence('dummyarticles', 'id'), $1)`, [rows]);
}

/** Eight words that look random, about 60 characters. */
const title = `concat_ws(' ', ${Array.from(
  { length: 8 },
  (_, n) => `w[1 + (hashint8(i * 8::bigint + ${n}) & 2147483647) % ${WORDS.length}]`,
).join(', ')})`;

/** Nine hashes, 297 characters that don't compress. */
const body = `concat(${Array.from({ length: 9 }, (_, n) => `md5(i || '.${n}'), ' '`).join(', ')})`;

async function insertKeys(client: Client): Promise<Key[]> {
  const keys = Array.from({ length: USERS }, (_, i) => ({ id: i + 1, privateKey: `pk_${randomSecret()}` }));
  await client.query(
    `INSERT INTO apikeys (id, name, "userId", "secretHash") SELECT i, 'Key of user ' || i, i, h
     FROM unnest($1::bigint[], $2::text[]) AS k (i, h)`,
    [keys.map(({ id }) => id), keys.map(({ privateKey }) => hashOfSecret(privateKey))],
  );
  await client.query(`SELECT setval(pg_get_serial_sequence('apikeys', 'id'), $1)`, [USERS]);
  return keys;
}

async function insertSessions(client: Client): Promise<Login[]> {
  const logins = Array.from({ length: SESSIONS }, (_, i) => ({ userId: i + 1, token: `v${randomSecret()}` }));
  await client.query(
    `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt")
     SELECT u, 'password', h, now() + interval '7 days' FROM unnest($1::bigint[], $2::text[]) AS s (u, h)`,
    [logins.map(({ userId }) => userId), logins.map(({ token }) => hashOfSecret(token))],
  );
  return logins;
}
