import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { Database } from '../postgres/database.js';
import { FIRST_VERSION } from '../common/api-path.js';
import { parseBody } from '../http/body-parser.js';
import { ApiKeyService } from '../kinds/api-key/api-key.service.js';
import type { RowOf } from '../record/row.js';
import { User } from '../kinds/user/user.entity.js';
import { UserService } from '../kinds/user/user.service.js';
import { setsProp } from '../record/access/writing.js';
import { ApiVersions } from '../record/api-versions.js';
import { toEnvelope } from '../record/response/serialize.js';
import type { Envelope } from '../record/response/envelope.js';
import { fold } from '../record/schema/formats.js';
import { Ids } from '../record/ids/ids.js';
import { kindOf } from '../record/schema/kind.js';
import { rolesOf } from '../record/schema/kind-graph.js';
import type { RecordResponse } from '../record/response/record-response.js';
import type { RecordEngine } from '../record/record-engine.js';
import type { WriteRequest } from '../record/record.service.js';
import { foldedColumn } from '../record/schema/table.js';
import { NO_MEMBERSHIPS, type Viewer, viewerOf } from '../common/viewer.js';
import { CommandError } from './command-error.js';

/** The user that a command applies to. */
export interface FoundUser {
  /** The public id. */
  readonly id: string;
  readonly username: string;
  readonly rowId: string;
  readonly roles: readonly string[];
}

/** The names of the roles. */
export const ROLES: readonly string[] = rolesOf(kindOf(User));

/** The viewer of the command line. It may do everything, but is not a user and owns no records. */
const OPERATOR: Viewer = {
  userId: null,
  roles: new Set(ROLES),
  memberships: NO_MEMBERSHIPS,
  sessionId: null,
  viewerClass: `operator:${[...ROLES].sort().join(',')}`,
  since: 0,
};

/** The operations of commands. Writes use the same checks and hooks as requests. */
export class AdminOperations {
  private readonly users: UserService;
  private readonly apiKeys: ApiKeyService;
  private readonly engine: RecordEngine;

  constructor(
    private readonly app: NestFastifyApplication,
    private readonly log: Logger,
  ) {
    this.engine = app.get(ApiVersions).engine(FIRST_VERSION);
    this.users = this.engine.serviceOf(UserService);
    this.apiKeys = this.engine.serviceOf(ApiKeyService);
  }

  /**
   * Refuses an unknown role, or one that the API can't grant. The write would only leave it out with a warning.
   * @param creates whether the role is for a new user
   * @throws CommandError naming the roles that can be granted
   */
  checkRole(role: string, creates = false): void {
    const { byColumn } = this.users.kind;
    const isGiven = (one: string) => {
      const prop = byColumn.get(one);
      return prop !== undefined && setsProp(prop, this.users.kind, OPERATOR, creates ? null : {});
    };
    if (ROLES.includes(role) && isGiven(role)) return;
    const others = ROLES.filter(isGiven).join(', ');
    throw new CommandError(
      `The role ${role} can’t be ${creates ? 'given' : 'granted or revoked'}: it is one of ${others}.`,
    );
  }

  /** @throws ApiError as `POST /users` does */
  async createUser(body: Readonly<Record<string, unknown>>): Promise<Envelope> {
    return this.shown(await this.users.create(asSent(body), this.as(OPERATOR)));
  }

  /** @throws ApiError as `PUT /users/:id` does */
  async updateUser(user: FoundUser, body: Readonly<Record<string, unknown>>): Promise<Envelope> {
    return this.shown(await this.users.update(user.id, asSent(body), this.as(OPERATOR)));
  }

  /** Creates the key on behalf of the user, who owns it. @throws ApiError as `POST /apikeys` does */
  async createApiKey(user: FoundUser, body: Readonly<Record<string, unknown>>): Promise<Envelope> {
    const viewer = viewerOf(user.rowId, user.roles, null);
    return this.shown(await this.apiKeys.create(asSent(body), this.as(viewer)));
  }

  /**
   * The user of a username, an e-mail address or a public id.
   * @throws CommandError if there is no such user, or more than one
   */
  async find(name: string): Promise<FoundUser> {
    const { kind, table } = this.users.kind;
    const ids = this.app.get(Ids, { strict: false });
    const roles = ROLES.map((role) => `"${role}"`).join(', ');
    const text =
      `SELECT id, username, ${roles} FROM "${table}" WHERE id = $1` +
      ` OR "${foldedColumn('username')}" = $2 OR "${foldedColumn('email')}" = $2`;
    const rows = await this.app
      .get(Database, { strict: false })
      .read('point', { text, values: [ids.decode(kind, name), fold(name)], table });
    const [row, second] = rows;
    if (!row)
      throw new CommandError(`No user has the username, e-mail address or id ${JSON.stringify(name)}.`);
    if (second) {
      throw new CommandError(
        `${JSON.stringify(name)} is one user’s id and another’s name: give the e-mail address.`,
      );
    }
    return {
      id: ids.encode(kind, String(row.id)),
      rowId: String(row.id),
      username: String(row.username),
      roles: this.users.rolesOfRow(row as RowOf<User>),
    };
  }

  private as(viewer: Viewer): WriteRequest {
    // The log's `actor` is a user, and there is none: `address` says where it came from.
    return { viewer, query: new Map(), headers: {}, actor: null, ip: 'command line', log: this.log };
  }

  private shown(response: RecordResponse): Envelope {
    return toEnvelope(this.engine, response) as Envelope;
  }
}

/** Parses values of a command line by the rules of request bodies. */
function asSent(body: Readonly<Record<string, unknown>>): unknown {
  return parseBody(Buffer.from(JSON.stringify(body)));
}
