import { type DynamicModule, Module } from '@nestjs/common';
import { Drain } from '../http/drain.js';
import { Health } from './health.js';
import { HealthController } from './health.controller.js';

/** The health endpoints. A global module must provide `ReadinessProbe`. */
@Module({})
export class HealthModule {
  /** @param drain says whether the service is about to stop */
  static forRoot(drain: Drain): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [{ provide: Drain, useValue: drain }, Health],
      exports: [Drain, Health],
      global: true,
    };
  }
}
