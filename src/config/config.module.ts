import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config.js';

/** Makes the one {@link Config} injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  /** @param config what `loadConfig` gave: the HTTP adapter needs it before Nest is there, so it is not loaded here. */
  static forRoot(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }], exports: [Config] };
  }
}
