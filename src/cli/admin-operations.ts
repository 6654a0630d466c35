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

/** A user that a command is about. */
export interface FoundUser {
  /** The public id. */
  readonly id: string;
  readonly username: string;
  readonly rowId: string;
  readonly roles: readonly string[];
}

/** The names of the roles. */
export const ROLES: readonly string[] = rolesOf(kindOf(User));

/** Whoever may use the command line may do everything, but is no user: no record becomes theirs. */
const OPERATOR: Viewer = {
  userId: null,
  roles: new Set(ROLES),
  memberships: NO_MEMBERSHIPS,
  sessionId: null,
  viewerClass: `operator:${[...ROLES].sort().join(',')}`,
  since: 0,
};

/** What commands do with the service. Every write goes the way of a request: the same checks, the same hooks. */
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
   * Refuses a role that is no role, or that nobody can give over the API: the write would leave it out with a warning.
   * @param creates whether it is a new user who gets it
   * @throws CommandError naming those that can be given
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

  /** Made as if by the user, who owns it. @throws ApiError as `POST /apikeys` does */
  async createApiKey(user: FoundUser, body: Readonly<Record<string, unknown>>): Promise<Envelope> {
    const viewer = viewerOf(user.rowId, user.roles, null);
    return this.shown(await this.apiKeys.create(asSent(body), this.as(viewer)));
  }

  /**
   * The user of a username, an e-mail address or a public id.
   * @throws CommandError when nobody, or more than one, is called so
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

/** What stands on a command line obeys the rules of a request's body. */
function asSent(body: Readonly<Record<string, unknown>>): unknown {
  return parseBody(Buffer.from(JSON.stringify(body)));
}
