import type { FastifyBaseLogger } from 'fastify';
import type { Bindings, ChildLoggerOptions, LogFn, Logger } from 'pino';

type Arguments = Parameters<LogFn>;

/**
 * The logger of one request, which adds the request id to each line. Most requests log nothing at the current level, so
 * pino's child logger is created by the first line.
 */
export class RequestLogger implements FastifyBaseLogger {
  private made: Logger | null = null;

  constructor(
    private readonly logger: Logger,
    private readonly bindings: Bindings,
    private readonly options: ChildLoggerOptions,
  ) {}

  get level(): string {
    return this.logger.level;
  }

  isLevelEnabled(level: string): boolean {
    return this.logger.isLevelEnabled(level);
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): Logger {
    return this.own.child(...args);
  }

  trace(...args: Arguments): void {
    this.own.trace(...args);
  }

  debug(...args: Arguments): void {
    this.own.debug(...args);
  }

  info(...args: Arguments): void {
    this.own.info(...args);
  }

  warn(...args: Arguments): void {
    this.own.warn(...args);
  }

  error(...args: Arguments): void {
    this.own.error(...args);
  }

  fatal(...args: Arguments): void {
    this.own.fatal(...args);
  }

  silent(): void {}

  private get own(): Logger {
    return (this.made ??= this.logger.child(this.bindings, this.options));
  }
}
