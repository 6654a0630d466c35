import { type DynamicModule, Global, Logger, Module, Scope } from '@nestjs/common';
import { INQUIRER } from '@nestjs/core';
import type { Logger as ServiceLog } from 'pino';

/** The token of the service's log, for lines of its own making: `@Inject(SERVICE_LOG) private readonly log: Logger`. */
export const SERVICE_LOG = Symbol('kindred:service-log');

/**
 * Makes loggers injectable everywhere: the service's own, and Nest's `Logger`, whose context is the class that is given it.
 * Both write into the same log (nest-logger.ts).
 */
@Global()
@Module({})
export class LoggingModule {
  /** @param log made before the application, as the HTTP server writes into it */
  static forRoot(log: ServiceLog): DynamicModule {
    return {
      module: LoggingModule,
      providers: [
        { provide: SERVICE_LOG, useValue: log },
        {
          provide: Logger,
          scope: Scope.TRANSIENT,
          inject: [INQUIRER],
          useFactory: (requester: object | undefined) =>
            new Logger(requester?.constructor.name ?? 'Application'),
        },
      ],
      exports: [SERVICE_LOG, Logger],
    };
  }
}
