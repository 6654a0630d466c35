import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/database.js';
import { forbidden, loginNeeded } from '../../http/errors.js';
import { audit } from '../../http/logging.js';
import type { Draft } from '../../record/assign.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type AnswerSchemas, RecordService, type WriteRequest } from '../../record/record.service.js';
import type { Row } from '../../record/row.js';
import { hashOfSecret, randomSecret } from '../../session/secrets.js';
import { SessionStore } from '../../session/session-store.js';
import { ApiKey } from './api-key.entity.js';

/** API keys: the secret is made here, shown once in `meta.privateKey`, and kept as a hash. */
@Injectable()
export class ApiKeyService extends RecordService {
  override readonly schemas: AnswerSchemas = {
    createMeta: { privateKey: { type: 'string', description: 'The secret, shown this once.' } },
  };

  constructor(
    engine: RecordEngine,
    private readonly sessions: SessionStore,
  ) {
    super(engine, ApiKey);
  }

  protected override prepare(draft: Draft): Promise<void> {
    if (!draft.before) {
      const privateKey = `pk_${randomSecret()}`;
      draft.values.set('secretHash', hashOfSecret(privateKey));
      draft.meta.privateKey = privateKey;
    }
    return Promise.resolve();
  }

  /**
   * Whoever holds the secret of a key that becomes another user's must not become that user: the key ends for good. Who
   * shall have one is given a new one. And whoever holds one that has leaked must not outlast it: what its sessions make
   * ends with it, and they can't put off its end.
   */
  protected override async beforeSave({ before, values, viewer }: Draft, tx: Transaction): Promise<void> {
    if (before && values.has('userId')) {
      values.set('secretHash', hashOfSecret(randomSecret()));
      values.set('expiresAt', new Date().toISOString());
      values.set('parentKeyId', null);
      return;
    }
    if (before && !values.has('expiresAt')) return;
    const key = await this.sessions.keyOf(tx, viewer);
    if (before) {
      const isLater = await this.isLater(tx, String(before.id), values.get('expiresAt'));
      if (key !== null && isLater && (await this.lineOf(tx, key)).includes(String(before.id)))
        throw forbidden('Log in with your password to let this key live longer.', 'expiresAt');
    } else if (key !== null && values.get('userId') === viewer.userId) {
      values.set('parentKeyId', key);
    }
    const parent = before ? (await this.lineOf(tx, String(before.id)))[1] : values.get('parentKeyId');
    if (typeof parent === 'string') await this.cap(tx, values, parent);
  }

  protected override async afterSave(row: Row, { before, values }: Draft, tx: Transaction): Promise<void> {
    if (!before) return;
    if (values.has('userId')) await this.sessions.endAllOfKey(tx, String(row.id));
    if (values.has('expiresAt')) await this.sessions.capByKey(tx, String(row.id));
  }

  /** Whether a key would live longer than it does now. */
  private async isLater(tx: Transaction, id: string, expiresAt: unknown): Promise<boolean> {
    const text = `SELECT "expiresAt" < coalesce($2::timestamptz, 'infinity') AS later FROM "${this.kind.table}" WHERE id = $1`;
    const [row] = await tx.query({ text, values: [id, expiresAt ?? null] });
    return row?.later === true;
  }

  /** A key's id, that of the key whose session has made it, and so on. */
  private async lineOf(tx: Transaction, id: string): Promise<string[]> {
    const { table } = this.kind;
    const text =
      `WITH RECURSIVE line AS (SELECT id, "parentKeyId", 0 AS at FROM "${table}" WHERE id = $1` +
      ` UNION ALL SELECT p.id, p."parentKeyId", at + 1 FROM line JOIN "${table}" p ON p.id = line."parentKeyId")` +
      ' SELECT id FROM line ORDER BY at';
    return (await tx.query({ text, values: [id] })).map((row) => String(row.id));
  }

  /** Holds the end of a key to its parent's, whose lock orders this with a change of the parent. */
  private async cap(tx: Transaction, values: Draft['values'], parent: string): Promise<void> {
    const text = `SELECT least($2::timestamptz, "expiresAt") AS at FROM "${this.kind.table}" WHERE id = $1 FOR SHARE`;
    const [row] = await tx.query({ text, values: [parent, values.get('expiresAt') ?? null] });
    if (!row) throw loginNeeded(); // the key has gone, and the session with it
    values.set('expiresAt', row.at);
  }

  protected override committed(before: Row | null, after: Row | null, request: WriteRequest): Promise<void> {
    const action = actionOf(before, after);
    const { log, actor, ip: address } = request;
    const target = this.publicIds([after ?? before ?? {}])[0] ?? null;
    if (action !== null) audit(log, { event: 'apikey', outcome: 'success', actor, action, target, address });
    return Promise.resolve();
  }
}

/** What was done to a key, for the audit; null for what changes nothing about who may log in. */
function actionOf(before: Row | null, after: Row | null): string | null {
  if (!before) return 'create';
  if (!after) return 'delete';
  if (before.userId !== after.userId) return 'move';
  return String(before.expiresAt) === String(after.expiresAt) ? null : 'expire';
}
