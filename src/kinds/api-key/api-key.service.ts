import { Injectable } from '@nestjs/common';
import type { Draft } from '../../record/assign.js';
import { RecordEngine } from '../../record/record-engine.js';
import { RecordService } from '../../record/record.service.js';
import { hashOfSecret, randomSecret } from '../../session/secrets.js';
import { ApiKey } from './api-key.entity.js';

/** API keys: the secret is made here, shown once in `meta.privateKey`, and kept as a hash. */
@Injectable()
export class ApiKeyService extends RecordService {
  constructor(engine: RecordEngine) {
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
}
