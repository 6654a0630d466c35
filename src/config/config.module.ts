import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Background } from './background.js';
import { Config } from './config.js';

/** Makes the one {@link Config} injectable everywhere, and the {@link Background}. */
@Global()
@Module({})
export class ConfigModule {
  /** @param config the result of `loadConfig`, which the HTTP adapter needs before Nest starts */
  static forRoot(config: Config, background = new Background(true)): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Background, useValue: background },
      ],
      exports: [Config, Background],
    };
  }
}
