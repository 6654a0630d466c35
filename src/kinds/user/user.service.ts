import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../postgres/database.js';
import { ApiError, conflict, forbidden, loginNeeded, missing } from '../../common/errors.js';
import { audit } from '../../http/logging.js';
import type { QueryParams } from '../../http/query.js';
import { ownsAll } from '../../record/access/access.js';
import type { ChangeSetOf } from '../../record/write/change-set.js';
import { fold } from '../../record/schema/formats.js';
import { rolesOf } from '../../record/schema/kind-graph.js';
import type { RecordResponse } from '../../record/response/record-response.js';
import type { Link } from '../../record/response/envelope.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type ResponseSchemas, RecordService, type WriteRequest } from '../../record/record.service.js';
import { notClosed } from '../../record/sql/not-closed.js';
import type { RowOf } from '../../record/row.js';
import { ANONYMOUS, type Viewer, viewerOf } from '../../common/viewer.js';
import { Passwords } from '../../auth/passwords.js';
import { type Forgive, RateLimits } from '../../auth/rate-limits.js';
import { SessionStore } from '../../auth/session-store.js';
import { FileImports } from '../../files/file-imports.js';
import { FileCleaner } from '../../files/file-cleaner.js';
import { initialsOf, versionOf } from './default-picture.js';
import { User } from './user.entity.js';

/** The advisory lock of transactions that may remove an administrator. */
const ADMINS_LOCK = 7_203_001;
/** Pixels of an imported avatar. */
const AVATAR_SIZE = { width: 300, height: 300 };

/** Users: hashed passwords, roles, the last administrator, display names. */
@Injectable()
export class UserService extends RecordService<User> {
  override readonly schemas: ResponseSchemas = {
    meta: { displayName: { type: 'string', description: 'The name that everyone sees.' } },
    links: {
      importAvatar: 'Where an uploaded file becomes the avatar.',
      avatarImage: 'The picture, for everyone; the address changes whenever the picture does.',
    },
    writeErrors: ['tooMany'],
  };
  private readonly roles = rolesOf(this.kind);
  /** The inputs of a body → the password hash that its `currentPassword` matched. */
  private readonly confirmed = new WeakMap<ChangeSetOf<User>['inputs'], string>();

  constructor(
    engine: RecordEngine,
    private readonly passwords: Passwords,
    private readonly sessions: SessionStore,
    private readonly limits: RateLimits,
    private readonly imports: FileImports,
    private readonly cleaner: FileCleaner,
  ) {
    super(engine, User);
  }

  /** The record of the session's user. The guard has checked that there is one. */
  async whoami(viewer: Viewer, query: QueryParams): Promise<RecordResponse> {
    const { includes, warnings } = this.includes(query);
    const row = viewer.userId === null ? null : await this.engine.store.get(this.kind, viewer.userId);
    if (!row) throw loginNeeded();
    return this.respond(viewer, row, includes, warnings);
  }

  /** The third step of an upload: the file of `{objectFileId}` is verified and becomes the user's avatar. */
  async importAvatar(id: string, body: unknown, request: WriteRequest): Promise<RecordResponse> {
    this.includes(request.query); // report wrong parameters before the file is touched
    this.writable(request.viewer, await this.load(id), 'avatarId');
    const relation = this.parent('avatar');
    return this.imports.run({ relation, body, viewer: request.viewer, cover: AVATAR_SIZE }, async (file) => {
      const response = await this.update(id, { avatarId: file.id }, request, file.keep);
      return response.warning(file.warnings);
    });
  }

  /** The row of a public id, for the picture that everybody may see. */
  async pictured(id: string): Promise<RowOf<User>> {
    return this.visible(ANONYMOUS, id);
  }

  /** The roles that a row of this kind gives. */
  rolesOfRow(row: RowOf<User>): string[] {
    return this.roles.filter((role) => row[role] === true);
  }

  protected override async prepare(
    changeSet: ChangeSetOf<User>,
    { viewer, ip }: WriteRequest,
  ): Promise<void> {
    const { before, values, inputs } = changeSet;
    const password = inputs.get('password');
    const isChange = before === null || changesOf(before, values, inputs).length > 0;
    // Administrators may create and fix any number of users, except themselves.
    const counts = isChange && (!ownsAll(this.kind, viewer) || isSelf(changeSet));
    const forgive = counts ? await this.count(before, ip) : null;
    try {
      if (before && isChange && isSelf(changeSet)) await this.confirm(changeSet, before.id, ip);
      if (password !== undefined) values.set('passwordHash', await this.passwords.hash(password, ip));
    } catch (error) {
      if (error instanceof ApiError && error.status === 503) await forgive?.();
      throw error;
    }
  }

  private count(before: RowOf<User> | null, address: string): Promise<Forgive> {
    return before ? this.limits.credentials(before.id) : this.limits.signUp(address);
  }

  protected override async beforeSave(changeSet: ChangeSetOf<User>, tx: Transaction): Promise<void> {
    const { before, values } = changeSet;
    if (!before) return;
    // The row may have changed since the body was checked.
    if (isSelf(changeSet) && changesOf(before, values, changeSet.inputs).length)
      await this.checkConfirmed(changeSet, tx);
    const isOther = values.has('email') && fold(values.get('email') ?? '') !== fold(before.email);
    if (isOther && !changeSet.given.has('verifiedEmail')) values.set('verifiedEmail', false);
    if (before.admin === true && values.get('admin') === false) await this.keepAnAdmin(before, tx);
  }

  protected override async afterSave(
    row: RowOf<User>,
    changeSet: ChangeSetOf<User>,
    tx: Transaction,
  ): Promise<void> {
    // End all sessions with the old password, except the one that changed it.
    if (changeSet.before && changeSet.inputs.has('password')) {
      await this.sessions.endAllOf(tx, row.id, changeSet.viewer.sessionId);
    }
    const old = changeSet.before?.avatarId;
    if (old && old !== row.avatarId) await this.cleaner.deleteUnused(tx, old, row.id);
  }

  protected override async beforeRemove(row: RowOf<User>, tx: Transaction): Promise<void> {
    if (row.admin === true) await this.keepAnAdmin(row, tx);
  }

  protected override async committed(
    before: RowOf<User> | null,
    after: RowOf<User> | null,
    request: WriteRequest,
    changeSet: ChangeSetOf<User> | null,
  ): Promise<void> {
    const held = new Set(before ? this.rolesOfRow(before) : []);
    const holds = new Set(after ? this.rolesOfRow(after) : []);
    const changes = [
      ...[...holds].filter((role) => !held.has(role)).map((role) => `grant ${role}`),
      ...[...held].filter((role) => !holds.has(role)).map((role) => `revoke ${role}`),
    ];
    const target = this.publicIdOf(after ?? before);
    const { log, actor, ip: address } = request;
    for (const action of changes) {
      audit(log, { event: 'role', outcome: 'success', actor, action, target, address });
    }
    const credentials =
      before && after && changeSet ? changesOf(before, new Map(Object.entries(after)), changeSet.inputs) : [];
    for (const name of credentials) {
      const action = `change ${name}`;
      audit(log, { event: 'credentials', outcome: 'success', actor, action, target, address });
    }
    if (!after) audit(log, { event: 'user', outcome: 'success', actor, action: 'delete', target, address });
    const old = before?.avatarId;
    if (before && old && old !== after?.avatarId) {
      await this.cleaner.finishUnused(old, before.id).catch((error: unknown) => {
        // The change itself is stored.
        log.warn({ err: error }, 'a replaced avatar was not deleted');
      });
    }
  }

  protected override viewerAfter(viewer: Viewer, row: RowOf<User>): Viewer {
    if (row.id !== viewer.userId) return viewer;
    return viewerOf(row.id, this.rolesOfRow(row), viewer.sessionId);
  }

  override serializeMeta(row: RowOf<User>): Record<string, unknown> {
    return { displayName: displayNameOf(row) };
  }

  override serializeLinks(
    row: RowOf<User>,
    id: string,
    _viewer: Viewer,
    _isOwner: boolean,
    mayWrite: boolean,
  ): Record<string, Link> {
    const self = `${this.engine.basePath}/${this.kind.path}/${id}`;
    const picture = `${self}/avatar-image?v=${this.pictureVersion(row)}`;
    return {
      importAvatar: { href: `${self}/import-avatar`, methods: mayWrite ? ['PUT'] : [], usage: 'rest' },
      avatarImage: { href: picture, methods: ['GET'], usage: 'image' },
    };
  }

  /** Changes when the picture does, so that its address can be cached for ever. */
  pictureVersion(row: RowOf<User>): string {
    if (row.avatarId) return this.engine.ids.encode('ObjectFile', row.avatarId);
    return versionOf(this.initials(row));
  }

  /** What the generated picture shows. */
  initials(row: RowOf<User>): string {
    return initialsOf(displayNameOf(row));
  }

  /** A user changes how it logs in only with its password: a session alone may be a stolen one, or that of a key. */
  private async confirm(changeSet: ChangeSetOf<User>, id: string, address: string): Promise<void> {
    const given = changeSet.inputs.get('currentPassword');
    if (given === undefined) throw unconfirmed();
    const text = `SELECT "passwordHash" FROM "${this.kind.table}" WHERE id = $1`;
    const [row] = await this.engine.store.database.read('point', {
      name: 'user_password',
      text,
      values: [id],
      table: this.kind.table,
    });
    const stored = typeof row?.passwordHash === 'string' ? row.passwordHash : null;
    if (!(await this.passwords.verify(given, stored, address)) || stored === null) throw wrongPassword();
    this.confirmed.set(changeSet.inputs, stored);
  }

  private async checkConfirmed({ before, inputs }: ChangeSetOf<User>, tx: Transaction): Promise<void> {
    const hash = this.confirmed.get(inputs);
    if (hash === undefined) throw unconfirmed();
    const text = `SELECT 1 FROM "${this.kind.table}" WHERE id = $1 AND "passwordHash" = $2`;
    if (!(await tx.query({ text, values: [before?.id, hash] })).length) throw wrongPassword();
  }

  /** Refuses to take away the last administrator; the lock makes that true for requests at the same time. */
  private async keepAnAdmin(row: RowOf<User>, tx: Transaction): Promise<void> {
    await tx.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [ADMINS_LOCK] });
    const { table } = this.kind;
    const text = `SELECT 1 FROM "${table}" u WHERE admin AND id <> $1 AND ${notClosed(table, 'u.id')} LIMIT 1`;
    const others = await tx.query({ text, values: [row.id] });
    if (!others.length) throw conflict('This is the last administrator; make another one first.', 'admin');
  }
}

/** Whether users change themselves. */
function isSelf({ before, viewer }: ChangeSetOf<User>): boolean {
  return before !== null && before.id === viewer.userId;
}

/** What of the login data a change set changes. */
function changesOf(
  before: RowOf<User> | null,
  values: ReadonlyMap<string, unknown>,
  inputs: ChangeSetOf<User>['inputs'],
): string[] {
  const columns = ['username', 'email'].filter(
    (name) => values.has(name) && values.get(name) !== before?.[name],
  );
  return inputs.has('password') ? [...columns, 'password'] : columns;
}

function unconfirmed(): ApiError {
  return missing(
    'currentPassword',
    'currentPassword is required to change your own username, e-mail address or password.',
  );
}

function wrongPassword(): ApiError {
  return forbidden('currentPassword is not your password.', 'currentPassword');
}

/** The name that everyone sees. */
function displayNameOf(row: RowOf<User>): string {
  return row[row.useAsDisplayName] || row.username;
}
