import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { forbidden, loginNeeded } from '../common/errors.js';
import type { Requester } from '../common/requester.js';
import { optionalWrite } from './optional-write.js';
import { Config } from '../config/config.js';
import { Database, type Transaction } from '../postgres/database.js';
import { BatchLoader } from '../postgres/batch-loader.js';
import type { ResultRow } from '../postgres/statement.js';
import { userRequester } from '../http/http-requester.js';
import type { JsonSchema } from '../openapi-model/json-schema.js';
import { kindOf, tableOf } from '../record/schema/kind.js';
import { KindGraph, rolesOf } from '../record/schema/kind-graph.js';
import { quote } from '../record/sql/kind-sql.js';
import { MembershipLookup } from './membership-lookup.js';
import { notClosed } from '../record/sql/not-closed.js';
import type { Row } from '../record/row.js';
import { ApiVersions } from '../record/api-versions.js';
import { hasSameRights, type Rights } from '../record/access/rights.js';
import { type Viewer, viewerOf } from '../common/viewer.js';
import { hashOfSecret, randomSecret } from '../common/secrets.js';
import { Session } from './session.entity.js';

/** A valid session at this moment. */
export interface LiveSession {
  readonly viewer: Viewer;
  /** The remaining seconds, if the session was just extended and the cookie needs a new Max-Age; otherwise null. */
  readonly extendedTo: number | null;
}

/** A new session. `token` is its id and the cookie's value. */
export interface NewSession {
  readonly token: string;
  readonly row: Row;
}

/** The kind of API keys. Logins may not import kinds, so they know this one by its name. */
export const API_KEY = 'APIKey';

/** How a session was started. */
export type LoginType = 'apiKey' | 'password';

const TOKEN = /^v[0-9A-Za-z]{43}$/;
/** A session's id in the API's description. */
export const TOKEN_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 44,
  maxLength: 44,
  pattern: TOKEN.source,
  examples: [`v${'kNqT8wYbR5xLmZp2HdC'.repeat(3).slice(0, 43)}`],
};
/** How long a request waits for the extension of its session, in milliseconds. */
const EXTEND_MS = 500;
/** The maximum number of sessions in one statement. */
const MAX_IN_BATCH = 500;
const COLUMNS = 'id, "createdAt", "updatedAt", "userId", type, "expiresAt"';

/** The statements that identify a caller. */
interface Statements {
  /** Finds sessions by the hashes of their tokens. */
  readonly lookUp: string;
  /** Reads one session within a transaction. */
  readonly present: string;
  readonly memberships: MembershipLookup;
}

/** Sessions in the database. They are not cached, so a session ends on all instances at once. */
@Injectable()
export class SessionStore implements Rights, OnApplicationBootstrap {
  private statements: Statements | null = null;
  private readonly finds = new BatchLoader((hashes) => this.load(hashes), MAX_IN_BATCH);
  private readonly users: string;
  private readonly sessions = kindOf(Session).table;
  private readonly keys: string;
  private readonly roles: readonly string[];

  constructor(
    graph: KindGraph,
    private readonly database: Database,
    private readonly config: Config,
    private readonly versions: ApiVersions,
  ) {
    this.users = graph.userKind.table;
    this.keys = graph.get(API_KEY).table;
    this.roles = rolesOf(tableOf(graph.userKind)); // those of any version of the API
  }

  /** The session of a cookie, with the current roles of its user; null if it is malformed, expired or unknown. */
  async find(token: string): Promise<LiveSession | null> {
    if (!TOKEN.test(token)) return null;
    const row = await this.finds.get(hashOfSecret(token));
    if (!row) return null;
    const viewer = this.viewerIn(row, row.userId, String(row.id));
    return { viewer, extendedTo: row.stale === true ? await this.extend(viewer.sessionId) : null };
  }

  onApplicationBootstrap(): void {
    for (const name of this.versions.names) this.versions.engine(name).rights = this;
  }

  async confirm(tx: Transaction, viewer: Viewer): Promise<void> {
    if (viewer.sessionId === null) return; // the command line's operator, who has none
    const [row] = await tx.query({ text: this.known().present, values: [viewer.sessionId] });
    if (!row) throw loginNeeded('The session has ended meanwhile. Log in again.');
    const now = this.viewerIn(row, row.id, viewer.sessionId);
    if (!hasSameRights(now, viewer)) throw forbidden('Your rights have changed meanwhile. Try again.');
  }

  /** The row of a session by its id outside, if it is still valid. */
  async rowOf(token: string): Promise<Row | null> {
    const live = await this.find(token);
    if (!live) return null;
    const text = `SELECT ${COLUMNS} FROM "${this.sessions}" WHERE id = $1`;
    const [row] = await this.database.read('point', {
      name: 'session_row',
      text,
      values: [live.viewer.sessionId],
      table: this.sessions,
    });
    return (row as Row | undefined) ?? null;
  }

  /**
   * Starts a session for an API key that was just checked; null if the key was deleted, has expired or has changed since.
   * The lock orders it with a simultaneous change of the key, which ends existing sessions.
   */
  createByKey(apiKeyId: string, secretHash: string, userId: string): Promise<NewSession | null> {
    const end = `least(now() + $2 * interval '1 second', k."expiresAt")`;
    const source = `SELECT k."userId", 'apiKey', k.id, $1, ${end} FROM "${this.keys}" k`;
    const valid = 'k.id = $3 AND k."secretHash" = $4 AND (k."expiresAt" IS NULL OR k."expiresAt" > now())';
    return this.create(`${source} WHERE ${valid} FOR SHARE`, [apiKeyId, secretHash], userId);
  }

  /**
   * Starts a session for a user whose password was just checked; null if it has changed since. The lock orders it with a
   * simultaneous password change, which ends existing sessions.
   */
  createByPassword(userId: string, passwordHash: string): Promise<NewSession | null> {
    const source = `SELECT u.id, 'password', NULL::bigint, $1, now() + $2 * interval '1 second'`;
    const from = `FROM "${this.users}" u WHERE u.id = $3 AND u."passwordHash" = $4 FOR SHARE`;
    return this.create(`${source} ${from}`, [userId, passwordHash], userId);
  }

  /**
   * Limits the sessions of an API key to its new expiry. Their end is stored, not computed from the key: an expired session
   * must not become valid again when the key gets a later expiry.
   */
  async capByKey(tx: Transaction, apiKeyId: string): Promise<void> {
    const text =
      `UPDATE "${this.sessions}" s SET "expiresAt" = least(s."expiresAt", k."expiresAt")` +
      ` FROM "${this.keys}" k WHERE k.id = $1 AND s."apiKeyId" = k.id`;
    await tx.query({ text, values: [apiKeyId] });
  }

  /** Ends one session. Returns whether it existed. */
  async end(id: string, requester: Requester): Promise<boolean> {
    const text = `DELETE FROM "${this.sessions}" WHERE id = $1 RETURNING id`;
    const statement = { text, values: [id], table: this.sessions };
    return (await this.database.write(statement, requester)).length > 0;
  }

  /** Ends the session of a cookie. Returns whether it existed. */
  async endByToken(token: string, requester: Requester): Promise<boolean> {
    if (!TOKEN.test(token)) return false;
    const text = `DELETE FROM "${this.sessions}" WHERE "tokenHash" = $1 RETURNING id`;
    const statement = { text, values: [hashOfSecret(token)], table: this.sessions };
    return (await this.database.write(statement, requester)).length > 0;
  }

  /** Ends all sessions of an API key. */
  async endAllOfKey(tx: Transaction, apiKeyId: string): Promise<void> {
    await tx.query({ text: `DELETE FROM "${this.sessions}" WHERE "apiKeyId" = $1`, values: [apiKeyId] });
  }

  /** Deletes up to `max` expired sessions. Returns their number. */
  async deleteExpired(max: number): Promise<number> {
    const over =
      `SELECT s.id FROM "${this.sessions}" s LEFT JOIN "${this.keys}" k ON k.id = s."apiKeyId"` +
      ' WHERE s."expiresAt" <= now() OR k."expiresAt" <= now() LIMIT $1 FOR UPDATE OF s SKIP LOCKED';
    const text = `DELETE FROM "${this.sessions}" WHERE id IN (${over}) RETURNING id`;
    return (await this.database.write({ text, values: [max], table: this.sessions })).length;
  }

  /** Ends all sessions of a user, except one. */
  async endAllOf(tx: Transaction, userId: string, except: string | null): Promise<void> {
    const text = `DELETE FROM "${this.sessions}" WHERE "userId" = $1 AND id IS DISTINCT FROM $2`;
    await tx.query({ text, values: [userId, except] });
  }

  /** The user of a session with its current rights. */
  private viewerIn(row: ResultRow, userId: unknown, sessionId: string): Viewer {
    const roles = this.roles.filter((role) => row[role] === true);
    return viewerOf(String(userId), roles, sessionId, this.known().memberships.read(row));
  }

  /** Computed at the first use, when every version of the API is known. */
  private known(): Statements {
    return (this.statements ??= this.prepare());
  }

  private prepare(): Statements {
    const { versions, users, sessions, keys } = this;
    const kinds = versions.names.flatMap((name) => versions.engine(name).graph.all());
    const memberships = new MembershipLookup(kinds);
    const roles = this.roles.map((role) => `u.${quote(role)}`).join(', ');
    const rights = `${roles}${memberships.columns('u.id')}`;
    const present =
      `SELECT u.id, ${rights} FROM "${sessions}" s JOIN "${users}" u ON u.id = s."userId"` +
      ' WHERE s.id = $1 AND s."expiresAt" > now()';
    const lookUp =
      `SELECT s.id, s."tokenHash", s."userId", ${rights}, ${this.lifetime()} - s."expiresAt" > $2 * interval '1 second' AS stale` +
      ` FROM "${sessions}" s JOIN "${users}" u ON u.id = s."userId" LEFT JOIN "${keys}" k ON k.id = s."apiKeyId"` +
      ' WHERE s."tokenHash" = ANY($1) AND s."expiresAt" > now()' +
      ` AND ${notClosed(users, 's."userId"')} AND ${notClosed(keys, 's."apiKeyId"')}`;
    return { lookUp, present, memberships };
  }

  /** The valid sessions with these hashes, by hash. */
  private async load(hashes: readonly string[]): Promise<Map<string, ResultRow>> {
    const values = [hashes, this.config.sessionIdleSeconds / 50];
    const rows = await this.database.read('point', {
      name: 'session',
      text: this.known().lookUp,
      values,
      table: this.sessions,
    });
    return new Map(rows.map((row) => [String(row.tokenHash), row]));
  }

  /**
   * Starts a session, and ends the user's oldest ones beyond MAX_SESSIONS_PER_USER: a key that logs in for each run of a
   * build must not fill the table. Simultaneous logins don't see each other and may exceed the limit for a while.
   */
  private async create(
    source: string,
    values: readonly unknown[],
    userId: string,
  ): Promise<NewSession | null> {
    const token = `v${randomSecret()}`;
    const into = `INSERT INTO "${this.sessions}" ("userId", type, "apiKeyId", "tokenHash", "expiresAt")`;
    const insert = `${into} ${source} RETURNING ${COLUMNS}`;
    const seconds = this.config.sessionIdleSeconds; // never above the absolute lifetime: config.ts
    const max = this.config.maxSessionsPerUser;
    const given = [hashOfSecret(token), seconds, ...values, ...(max ? [max - 1] : [])];
    // The statement does not see its own row, and does not wait for others that end the same sessions.
    const oldest =
      `SELECT id FROM "${this.sessions}" WHERE "userId" = (SELECT "userId" FROM made)` +
      ` ORDER BY "createdAt" DESC, id DESC OFFSET $${given.length}`;
    const free = `SELECT id FROM "${this.sessions}" WHERE id = ANY(ARRAY(${oldest})) FOR UPDATE SKIP LOCKED`;
    const limited = `WITH made AS (${insert}), ended AS (DELETE FROM "${this.sessions}" WHERE id IN (${free})) SELECT * FROM made`;
    const statement = { text: max ? limited : insert, values: given, table: this.sessions };
    const [row] = await this.database.write(statement, userRequester(userId));
    return row ? { token, row: row as Row } : null;
  }

  /**
   * Extends an active session, up to its absolute end and that of its key. Returns the remaining seconds, or null if it
   * fails now (read-only database, lock): the request still succeeds, and the next one tries again.
   */
  private async extend(id: string | null): Promise<number | null> {
    const text =
      `UPDATE "${this.sessions}" s SET "expiresAt" = ${this.lifetime()}, "updatedAt" = now() FROM "${this.sessions}" t` +
      ` LEFT JOIN "${this.keys}" k ON k.id = t."apiKeyId" WHERE s.id = $1 AND t.id = s.id AND s."expiresAt" > now()` +
      ' RETURNING round(extract(epoch FROM s."expiresAt" - now())) AS seconds';
    const write = this.database.write({ text, values: [id], table: this.sessions });
    const [row] = (await optionalWrite('a session was not extended', EXTEND_MS, write)) ?? [];
    return row ? Number(row.seconds) : null;
  }

  /** SQL of the instant at which session `s` with key `k` ends, used now. Both numbers are validated settings. */
  private lifetime(): string {
    const { sessionIdleSeconds: idle, sessionAbsoluteSeconds: absolute } = this.config;
    return `least(now() + interval '${idle} seconds', s."createdAt" + interval '${absolute} seconds', k."expiresAt")`;
  }
}
