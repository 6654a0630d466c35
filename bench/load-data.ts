import '../src/app.module.js'; // registers the kinds of the service …
import './article.js'; // … and ours: its table is made with theirs
import { Client } from 'pg';
import { connect } from '../src/database/connect.js';
import { pendingSchema } from '../src/database/pending-schema.js';
import { hashOfSecret, randomSecret } from '../src/session/secrets.js';

export const USERS = 1000;
/** The first users are logged in, one session each. */
const SESSIONS = 100;

const WORDS =
  'about bridge candle distant evening flower garden harbour island journey kettle lantern morning northern ocean ' +
  'paper quiet railway silver thunder umbrella valley window yellow autumn basket castle dinner engine forest';

/** A logged-in user. */
export interface Login {
  /** Row id of the user. */
  readonly userId: number;
  /** Value of the session cookie. */
  readonly token: string;
}

/**
 * Fills an empty database: the tables of the service and of Article, {@link USERS} users, `rows` articles (article i
 * belongs to user 1 + (i − 1) mod USERS, see {@link ownerOf}) and sessions.
 */
export async function loadData(
  url: string,
  rows: number,
  progress: (line: string) => void,
): Promise<Login[]> {
  const dataSource = await connect({ url, statementTimeoutMs: 60_000, progress: () => undefined });
  const schema = (await pendingSchema(dataSource)).up;
  await dataSource.destroy();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Indexes after the rows: for a million of them this saves minutes.
    for (const text of schema.filter(isTable)) await client.query(text);
    progress(`Loading ${USERS} users and ${rows} articles …`);
    await client.query(
      `INSERT INTO users (id, username, "usernameFolded", email, "emailFolded", "passwordHash")
       SELECT i, 'user' || i, 'user' || i, 'user' || i || '@mail.test', 'user' || i || '@mail.test', 'none'
       FROM generate_series(1, $1::int) i`,
      [USERS],
    );
    await client.query(
      `INSERT INTO articles (id, "createdAt", "updatedAt", title, body, status, views, "editorNote", "userId")
       SELECT i, t, t, ${title}, ${body}, (array['draft', 'published', 'archived'])[1 + i % 3],
         (i::bigint * 7919) % 100000, 'Note ' || i, 1 + (i - 1) % $3::int
       FROM generate_series(1, $1::int) i, LATERAL (SELECT timestamptz '2026-01-01Z' + i * interval '1 second' AS t),
         (SELECT string_to_array($2, ' ') AS w)`,
      [rows, WORDS, USERS],
    );
    await client.query(`SELECT setval(pg_get_serial_sequence('users', 'id'), $1)`, [USERS]);
    await client.query(`SELECT setval(pg_get_serial_sequence('articles', 'id'), $1)`, [rows]);
    progress('Indexing …');
    for (const text of schema.filter((one) => !isTable(one))) await client.query(text);
    const logins = Array.from({ length: SESSIONS }, (_, i) => ({
      userId: i + 1,
      token: `v${randomSecret()}`,
    }));
    await client.query(
      `INSERT INTO sessions ("userId", type, "tokenHash", "expiresAt")
       SELECT u, 'password', h, now() + interval '7 days' FROM unnest($1::bigint[], $2::text[]) AS s (u, h)`,
      [logins.map((one) => one.userId), logins.map((one) => hashOfSecret(one.token))],
    );
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
    return logins;
  } finally {
    await client.end();
  }
}

/** Takes away what a round has written beyond the loaded rows, so that every round finds the same tables. */
export async function tidy(url: string, rows: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('DELETE FROM articles WHERE id > $1', [rows]);
    await client.query('VACUUM (ANALYZE) articles');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** The owner of article `row`. */
export const ownerOf = (row: number): number => 1 + ((row - 1) % USERS);

const isTable = (text: string): boolean => text.startsWith('CREATE TABLE');

/** Eight words, about 60 characters. */
const title = `concat_ws(' ', ${[1, 3, 7, 11, 13, 17, 19, 23]
  .map((n) => `w[1 + (i::bigint * ${n} / 30 + i::bigint * ${n}) % 30]`)
  .join(', ')})`;

/** Nine hashes, 297 characters that don't compress. */
const body = `concat(${Array.from({ length: 9 }, (_, n) => `md5(i || '.${n}'), ' '`).join(', ')})`;
