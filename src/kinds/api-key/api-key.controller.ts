import { KindController, RecordController } from '../../record/record.controller.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyService } from './api-key.service.js';

/** `/apikeys`: the standard routes. */
@KindController(ApiKey)
export class ApiKeyController extends RecordController {
  constructor(protected readonly service: ApiKeyService) {
    super();
  }
}
