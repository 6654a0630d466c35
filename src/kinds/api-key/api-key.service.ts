import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../postgres/database.js';
import { audit } from '../../http/logging.js';
import type { ChangeSetOf } from '../../record/write/change-set.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type ResponseSchemas, RecordService, type WriteRequest } from '../../record/record.service.js';
import type { RowOf } from '../../record/row.js';
import { hashOfSecret, randomSecret } from '../../common/secrets.js';
import { SessionStore } from '../../auth/session-store.js';
import { ApiKey } from './api-key.entity.js';

/** API keys: the secret is generated here, shown once in `meta.privateKey`, and stored as a hash. */
@Injectable()
export class ApiKeyService extends RecordService<ApiKey> {
  override readonly schemas: ResponseSchemas = {
    createMeta: { privateKey: { type: 'string', description: 'The secret, in this answer only.' } },
  };

  constructor(
    engine: RecordEngine,
    private readonly sessions: SessionStore,
  ) {
    super(engine, ApiKey);
  }

  protected override prepare(changeSet: ChangeSetOf<ApiKey>): Promise<void> {
    if (!changeSet.before) {
      const privateKey = `pk_${randomSecret()}`;
      changeSet.values.set('secretHash', hashOfSecret(privateKey));
      changeSet.meta.privateKey = privateKey;
    }
    return Promise.resolve();
  }

  /**
   * Ends a key that is given to another user: the holder of its secret must not become that user. The other user needs a
   * new key.
   */
  protected override beforeSave({ before, values }: ChangeSetOf<ApiKey>): Promise<void> {
    if (!before || !values.has('userId')) return Promise.resolve();
    values.set('secretHash', hashOfSecret(randomSecret()));
    values.set('expiresAt', new Date().toISOString());
    return Promise.resolve();
  }

  protected override async afterSave(
    row: RowOf<ApiKey>,
    { before, values }: ChangeSetOf<ApiKey>,
    tx: Transaction,
  ): Promise<void> {
    if (!before) return;
    if (values.has('userId')) await this.sessions.endAllOfKey(tx, row.id);
    else if (values.has('expiresAt')) await this.sessions.capByKey(tx, row.id);
  }

  protected override committed(
    before: RowOf<ApiKey> | null,
    after: RowOf<ApiKey> | null,
    request: WriteRequest,
  ): Promise<void> {
    const action = actionOf(before, after);
    const { log, actor, ip: address } = request;
    const target = this.publicIdOf(after ?? before);
    if (action !== null) audit(log, { event: 'apikey', outcome: 'success', actor, action, target, address });
    return Promise.resolve();
  }
}

/** The audited action; null for changes that do not affect logins. */
function actionOf(before: RowOf<ApiKey> | null, after: RowOf<ApiKey> | null): string | null {
  if (!before) return 'create';
  if (!after) return 'delete';
  if (before.userId !== after.userId) return 'move';
  return before.expiresAt === after.expiresAt ? null : 'expire';
}
