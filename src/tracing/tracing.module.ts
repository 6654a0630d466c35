import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { type Tracing, TRACING } from '../common/tracing.js';

/** The service's {@link Tracing}, or null, which the HTTP server has: it was made before the application. */
@Module({
  providers: [
    {
      provide: TRACING,
      inject: [HttpAdapterHost],
      useFactory: ({ httpAdapter }: HttpAdapterHost) => httpAdapter.getInstance<FastifyInstance>().tracing,
    },
  ],
  exports: [TRACING],
})
export class TracingModule implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly tracing: Tracing | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.stop();
  }
}
