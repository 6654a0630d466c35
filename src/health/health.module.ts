import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** The health endpoints. A global module must provide `ReadinessProbe`. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
