import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { SessionStoreModule } from '../auth/session-store.module.js';
import { Background } from '../config/background.js';
import { Config } from '../config/config.js';
import { DedicatedConnection, DedicatedConnections } from '../postgres/dedicated-connection.js';
import { HandlerRegistry } from './handler-registry.js';
import { DeleteExpiredSessionsHandler } from './handlers/delete-expired-sessions.handler.js';
import { DeleteOldCronRunsHandler } from './handlers/delete-old-cron-runs.handler.js';
import { TestHandler } from './handlers/test.handler.js';
import { JobStats } from './job-stats.js';
import { JobStore } from './job-store.js';
import { JobTimers } from './job-timers.js';
import { RunStore } from './run-store.js';
import { Scheduler } from './scheduler.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { SchedulerSettings } from './scheduler-settings.js';

/** Background jobs: finds the handlers, and runs them as the CronJob records say. */
@Module({
  imports: [DiscoveryModule, ScheduleModule.forRoot(), SessionStoreModule, TracingModule],
  providers: [
    {
      provide: SchedulerSettings,
      inject: [Config, Background],
      useFactory: (config: Config, { enabled, settings }: Background<Partial<SchedulerSettings>>) =>
        new SchedulerSettings({
          concurrency: config.cronConcurrency,
          runLimit: config.cronRunSeconds * 1000,
          ...settings,
          ...(!enabled && { concurrency: 0 }),
        }),
    },
    // A connection of its own, so that busy requests and handlers can't delay the heartbeats.
    {
      provide: DedicatedConnection,
      inject: [DedicatedConnections],
      useFactory: (connections: DedicatedConnections) => connections.make('kindred-cron'),
    },
    HandlerRegistry,
    JobStats,
    JobStore,
    RunStore,
    JobTimers,
    Scheduler,
    TestHandler,
    DeleteExpiredSessionsHandler,
    DeleteOldCronRunsHandler,
  ],
  exports: [HandlerRegistry, JobStats, SchedulerSettings],
})
export class SchedulerModule {}
