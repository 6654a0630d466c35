import { Injectable } from '@nestjs/common';
import { optionalWrite } from './optional-write.js';
import { Database } from '../postgres/database.js';
import type { ResultRow } from '../postgres/statement.js';
import { userRequester } from '../http/http-requester.js';
import type { ApiRequest } from '../http/api-request.js';
import { invalid, loginFailed, missing, type Warning } from '../common/errors.js';
import { audit } from '../http/logging.js';
import { type JsonSchema, objectOf } from '../openapi-model/json-schema.js';
import { codePoints, fold } from '../record/schema/formats.js';
import { Ids } from '../record/ids/ids.js';
import { KindGraph, type LinkedKind } from '../record/schema/kind-graph.js';
import { notClosed } from '../record/sql/not-closed.js';
import { foldedColumn } from '../record/schema/table.js';
import type { Viewer } from '../common/viewer.js';
import { DeviceCookie } from './device-cookie.js';
import { Passwords } from './passwords.js';
import { type KnownDevice, RateLimits } from './rate-limits.js';
import { hashOfSecret, sameHash } from '../common/secrets.js';
import { API_KEY, type LoginType, type NewSession, SessionStore } from './session-store.js';

/** The credentials of a login. */
interface Credentials {
  readonly type: LoginType;
  /** Public id of an API key, or a username or e-mail address. */
  readonly name: string;
  readonly secret: string;
}

/** A successful login; `viewer` is the user of the new session. */
export interface Login extends NewSession {
  readonly viewer: Viewer;
  readonly warnings: Warning[];
  /** The account that the device is now known for: see {@link DeviceCookie}. */
  readonly account: string;
}

type LoginRequest = Pick<ApiRequest, 'ip' | 'log' | 'cookies' | 'headers'>;

const MAX_CHARACTERS = 256;
/** How long a login waits for storing the key's date of use, in milliseconds. */
const USED_MS = 500;
const credential = (description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: MAX_CHARACTERS,
  description,
});

/** The body of a login: one pair or the other. */
export const LOGIN_BODY: JsonSchema = {
  anyOf: [
    objectOf({
      apiKey: credential('The id of an APIKey.'),
      privateKey: { ...credential('Its secret.'), writeOnly: true },
    }),
    objectOf({
      login: credential('A username or e-mail address.'),
      password: { ...credential('The password.'), writeOnly: true },
    }),
  ],
};
const KNOWN = new Set(['apiKey', 'privateKey', 'login', 'password', 'sessionType']);
/** Compared if there is no such key, so that the work is the same. */
const NO_HASH = hashOfSecret('');

/**
 * Both kinds of login. Whatever is wrong with the credentials, the response, its headers and its time are the same. Only
 * missing or malformed values are reported (441, 442), which reveals nothing about any account.
 */
@Injectable()
export class LoginService {
  private readonly users: string;
  private readonly key: LinkedKind;

  constructor(
    private readonly graph: KindGraph,
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly passwords: Passwords,
    private readonly limits: RateLimits,
    private readonly sessions: SessionStore,
    private readonly devices: DeviceCookie,
  ) {
    this.users = `"${graph.userKind.table}"`;
    this.key = graph.get(API_KEY);
  }

  /** @throws ApiError 441, 442, 429, 454 */
  async login(body: unknown, request: LoginRequest): Promise<Login> {
    const { credentials, warnings } = parse(body);
    const name = `${credentials.type} ${fold(credentials.name)}`;
    const forgive = await this.limits.login(request.ip, name, () => this.knownDevice(credentials, request));
    const { session, live } = await this.session(credentials, request).catch(async (error: unknown) => {
      // The credentials were not checked, for example because of overload.
      await forgive();
      throw error;
    });
    const target = this.keyId(credentials) === null ? null : credentials.name;
    const event = {
      event: 'login',
      action: credentials.type,
      target,
      address: request.ip,
    };
    if (!session || !live) {
      audit(request.log, { ...event, outcome: 'failure', actor: null });
      throw loginFailed();
    }
    await forgive();
    const actor = this.ids.encode(this.graph.userKind.kind, String(session.row.userId));
    audit(request.log, { ...event, outcome: 'success', actor });
    const account = accountOf(credentials.type, this.keyId(credentials) ?? String(session.row.userId));
    return { ...session, viewer: live.viewer, warnings, account };
  }

  /** The new session, and what a request with it would find; null if the credentials are wrong. */
  private async session(credentials: Credentials, { ip }: LoginRequest) {
    const session =
      credentials.type === 'apiKey'
        ? await this.byApiKey(credentials)
        : await this.byPassword(credentials, ip);
    return { session, live: session && (await this.sessions.find(session.token)) };
  }

  /** The device of the request, if its cookie says that it has logged in to this account before. */
  private async knownDevice(credentials: Credentials, request: LoginRequest): Promise<KnownDevice | null> {
    const value = this.devices.read(request);
    if (value === undefined) return null;
    const { type, name } = credentials;
    const id = type === 'apiKey' ? this.keyId(credentials) : (await this.userOf(name))?.id;
    if (typeof id !== 'string') return null;
    const account = accountOf(type, id);
    const device = this.devices.deviceOf(value, account);
    return device === null ? null : { device, account };
  }

  /** The row id of the API key, which may not exist; null for a password. */
  private keyId({ type, name }: Credentials): string | null {
    return type === 'apiKey' ? this.ids.decode(this.key.kind, name) : null;
  }

  private async byApiKey(credentials: Credentials): Promise<NewSession | null> {
    const id = this.keyId(credentials) ?? '0';
    const text =
      `SELECT "userId", "secretHash" FROM "${this.key.table}" k` +
      ' WHERE id = $1 AND ("expiresAt" IS NULL OR "expiresAt" > now())' +
      ` AND ${notClosed(this.key.table, 'k.id')} AND ${notClosed(this.graph.userKind.table, 'k."userId"')}`;
    const [key] = await this.database.read('point', {
      name: 'login_key',
      text,
      values: [id],
      table: this.key.table,
    });
    const secretHash = hashOfSecret(credentials.secret);
    const fits = sameHash(secretHash, typeof key?.secretHash === 'string' ? key.secretHash : NO_HASH);
    if (!key || !fits) return null;
    const userId = String(key.userId);
    const used = `UPDATE "${this.key.table}" SET "lastUsedAt" = now() WHERE id = $1`;
    // The date is not essential: no login fails or waits long for it.
    const statement = { text: used, values: [id], table: this.key.table };
    const write = this.database.write(statement, userRequester(userId));
    await optionalWrite('the last use of an API key was not stored', USED_MS, write);
    return this.sessions.createByKey(id, secretHash, userId);
  }

  private async byPassword({ name, secret }: Credentials, address: string): Promise<NewSession | null> {
    const user = await this.userOf(name);
    const stored = typeof user?.passwordHash === 'string' ? user.passwordHash : null;
    if (!(await this.passwords.verify(secret, stored, address)) || stored === null) return null;
    return this.sessions.createByPassword(String(user?.id), stored);
  }

  /** Id and password hash of the user with a username or e-mail address. */
  private async userOf(name: string): Promise<ResultRow | undefined> {
    const username = foldedColumn('username');
    const email = foldedColumn('email');
    const text =
      `SELECT id, "passwordHash" FROM ${this.users} u WHERE ("${username}" = $1 OR "${email}" = $1)` +
      ` AND ${notClosed(this.graph.userKind.table, 'u.id')}`;
    const { table } = this.graph.userKind;
    const [user] = await this.database.read('point', {
      name: 'login_user',
      text,
      values: [fold(name)],
      table,
    });
    return user;
  }
}

/** What a device is known for: a user, or an API key. */
function accountOf(type: LoginType, rowId: string): string {
  return `${type} ${rowId}`;
}

/** `{apiKey, privateKey}` or `{login, password}`; `sessionType` is accepted and ignored. */
function parse(body: unknown): { credentials: Credentials; warnings: Warning[] } {
  const given = new Map<string, unknown>(
    Object.entries(typeof body === 'object' && body !== null ? body : {}),
  );
  const isPassword =
    !given.has('apiKey') && !given.has('privateKey') && (given.has('login') || given.has('password'));
  const [name, secret] = isPassword ? (['login', 'password'] as const) : (['apiKey', 'privateKey'] as const);
  const credentials: Credentials = {
    type: isPassword ? 'password' : 'apiKey',
    name: text(given, name),
    secret: text(given, secret),
  };
  const warnings = [...given.keys()]
    .filter((key) => !KNOWN.has(key))
    .map((key) => ({ code: 400, message: 'This prop is unknown and was ignored.', data: key }));
  return { credentials, warnings };
}

function text(given: ReadonlyMap<string, unknown>, name: string): string {
  const value = given.get(name);
  if (value === undefined || value === null || value === '') throw missing(name);
  if (typeof value !== 'string') throw invalid(name, `${name} must be a string.`);
  if (codePoints(value) > MAX_CHARACTERS)
    throw invalid(name, `${name} may have at most ${MAX_CHARACTERS} characters.`);
  return value;
}
