import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { Config } from '../config/config.js';
import { DedicatedConnection, DedicatedConnections } from '../postgres/dedicated-connection.js';
import { HandlerRegistry } from './handler-registry.js';
import { DeleteExpiredSessionsHandler } from './handlers/delete-expired-sessions.handler.js';
import { DeleteOldCronRunsHandler } from './handlers/delete-old-cron-runs.handler.js';
import { TestHandler } from './handlers/test.handler.js';
import { JobFigures } from './job-figures.js';
import { JobStore } from './job-store.js';
import { JobTimers } from './job-timers.js';
import { RunStore } from './run-store.js';
import { Scheduler } from './scheduler.js';
import { SchedulerSettings } from './scheduler-settings.js';

/** Background jobs: finds the handlers, runs what the CronJob records say. */
@Module({})
export class SchedulerModule {
  /** @param settings instead of those of the environment, for tests */
  static forRoot(settings: Partial<SchedulerSettings> = {}): DynamicModule {
    return {
      module: SchedulerModule,
      global: true,
      imports: [DiscoveryModule, ScheduleModule.forRoot()],
      providers: [
        {
          provide: SchedulerSettings,
          inject: [Config],
          useFactory: ({ cronConcurrency, cronRunSeconds }: Config) =>
            new SchedulerSettings({
              concurrency: cronConcurrency,
              runLimit: cronRunSeconds * 1000,
              ...settings,
            }),
        },
        // So that neither busy requests nor greedy handlers keep it from holding its leases.
        {
          provide: DedicatedConnection,
          inject: [DedicatedConnections],
          useFactory: (connections: DedicatedConnections) => connections.make('kindred-cron'),
        },
        HandlerRegistry,
        JobFigures,
        JobStore,
        RunStore,
        JobTimers,
        Scheduler,
        TestHandler,
        DeleteExpiredSessionsHandler,
        DeleteOldCronRunsHandler,
      ],
      exports: [HandlerRegistry, JobFigures, SchedulerSettings],
    };
  }
}
