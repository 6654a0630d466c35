import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { EnvelopeInterceptor } from './http/envelope.interceptor.js';
import { ApiKeyModule } from './kinds/api-key/api-key.module.js';
import { ObjectFileModule } from './kinds/object-file/object-file.module.js';
import { User } from './kinds/user/user.entity.js';
import { UserModule } from './kinds/user/user.module.js';
import { RecordModule } from './record/record.module.js';
import { SessionModule } from './session/session.module.js';
import { SessionStoreModule } from './session/session-store.module.js';
import { TestModule } from './test-endpoint/test.module.js';

/** The kinds of this service: a new one adds its module here. */
export const KINDS: readonly Type[] = [UserModule, ApiKeyModule, ObjectFileModule];

/** What the running service is made of, beside its code. */
export interface AppOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Hears what start-up does, line by line. */
  readonly progress: (line: string) => void;
  /** Further kinds, for tests and benchmarks. */
  readonly kinds?: readonly Type[];
}

/** The whole service. */
@Module({})
export class AppModule {
  static with({ config, databaseUrl, progress, kinds = [] }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot(databaseUrl, progress),
        RecordModule.forRoot({ userKind: User }),
        SessionStoreModule,
        SessionModule,
        HealthModule,
        TestModule,
        ...KINDS,
        ...kinds,
      ],
      providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }],
    };
  }
}
