import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/database.js';
import type { Draft } from '../../record/assign.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type AnswerSchemas, RecordService } from '../../record/record.service.js';
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

  protected override async afterSave(row: Row, draft: Draft, tx: Transaction): Promise<void> {
    if (draft.before && draft.values.has('expiresAt')) await this.sessions.capByKey(tx, String(row.id));
  }
}
