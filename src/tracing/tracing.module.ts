import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Tracing, TRACING } from '../common/tracing.js';

/** Makes the service's {@link Tracing}, or null, injectable everywhere. */
@Module({})
export class TracingModule implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly tracing: Tracing | null) {}

  static forRoot(tracing: Tracing | null): DynamicModule {
    const provider = { provide: TRACING, useValue: tracing };
    return { module: TracingModule, global: true, providers: [provider], exports: [TRACING] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.stop();
  }
}
