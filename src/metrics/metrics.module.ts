import { type DynamicModule, Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module.js';
import { SchedulerModule } from '../scheduler/scheduler.module.js';
import { Metrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';

/** The metrics and their server. Loaded only if METRICS_PORT is set. */
@Module({})
export class MetricsModule {
  /** @param metrics made before the application, as the HTTP server reports to it */
  static forRoot(metrics: Metrics): DynamicModule {
    return {
      module: MetricsModule,
      imports: [HealthModule, SchedulerModule],
      providers: [{ provide: Metrics, useValue: metrics }, MetricsServer],
    };
  }
}
