import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Drain } from '../http/drain.js';
import { Health } from './health.js';
import { HealthController } from './health.controller.js';

/** The health endpoints, and the server's {@link Drain}. A global module must provide `ReadinessProbe`. */
@Module({
  controllers: [HealthController],
  providers: [
    {
      provide: Drain,
      inject: [HttpAdapterHost],
      useFactory: ({ httpAdapter }: HttpAdapterHost) => httpAdapter.getInstance<FastifyInstance>().drain,
    },
    Health,
  ],
  exports: [Drain, Health],
})
export class HealthModule {}
