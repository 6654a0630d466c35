import { Module } from '@nestjs/common';
import { SessionStoreModule } from '../../auth/session-store.module.js';
import { ApiKeyController } from './api-key.controller.js';
import { ApiKeyService } from './api-key.service.js';

/** The kind APIKey. */
@Module({ imports: [SessionStoreModule], controllers: [ApiKeyController], providers: [ApiKeyService] })
export class ApiKeyModule {}
