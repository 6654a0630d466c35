import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { Logger } from 'pino';
import { Background } from './config/background.js';
import { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { LoggingModule } from './http/logging.module.js';
import { EnvelopeInterceptor } from './record/envelope.interceptor.js';
import { ApiKeyModule } from './kinds/api-key/api-key.module.js';
import { CronJobModule } from './kinds/cron-job/cron-job.module.js';
import { CronRunModule } from './kinds/cron-run/cron-run.module.js';
import { ObjectFileModule } from './kinds/object-file/object-file.module.js';
import { User } from './kinds/user/user.entity.js';
import { UserModule } from './kinds/user/user.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { RecordModule } from './record/record.module.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import type { SchedulerSettings } from './scheduler/scheduler-settings.js';
import { SessionModule } from './auth/session.module.js';
import { TestModule } from './test-endpoint/test.module.js';
import { TracingModule } from './tracing/tracing.module.js';

/** The kinds of this service: a new one adds its module here. */
export const KINDS: readonly Type[] = [
  UserModule,
  ApiKeyModule,
  ObjectFileModule,
  CronJobModule,
  CronRunModule,
];

/** The versions of the API after the first one: a new one adds its module here. */
export const VERSIONS: readonly Type[] = [];

/** What the running service is made of, beside its code. */
export interface AppOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Hears what start-up does, line by line. */
  readonly progress: (line: string) => void;
  /** Modules of further kinds and versions, for tests and benchmarks. */
  readonly kinds?: readonly Type[];
  /** For tests: settings of the scheduler instead of those of the environment. */
  readonly scheduler?: Partial<SchedulerSettings>;
  /** False: it does only what it is asked for, no jobs and no housekeeping. */
  readonly background?: boolean;
  /** Parts that are loaded only where the settings ask for them. */
  readonly parts?: readonly DynamicModule[];
}

/** The whole service. */
@Module({})
export class AppModule {
  /** @param log for what is done outside of requests */
  static with(options: AppOptions, log: Logger): DynamicModule {
    const { config, databaseUrl, progress, kinds = [], scheduler, background = true, parts = [] } = options;
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config, new Background(background, scheduler)),
        LoggingModule.forRoot(log),
        TracingModule,
        DatabaseModule.forRoot(databaseUrl, progress, config.appSecret),
        RecordModule.forRoot({ userKind: User }),
        SessionModule,
        SchedulerModule,
        HealthModule,
        TestModule,
        OpenApiModule,
        ...KINDS,
        ...VERSIONS,
        ...kinds,
        ...parts,
      ],
      providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }],
    };
  }
}
