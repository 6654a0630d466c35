import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { isError } from '../common/is-error.js';

/** Nest's start-up lists of modules and routes, which are of no use in operation. */
const CHATTY = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** What these report they also throw. */
const THROWN_TOO = new Set(['ExceptionHandler', 'TypeOrmModule']);

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Nest's logger, writing into the service's log. Nest passes the context last, and a stack before it. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log = (message: unknown, ...rest: unknown[]): void => this.write('info', message, rest);
  fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);
  error = (message: unknown, ...rest: unknown[]): void => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const texts = rest.filter((part) => typeof part === 'string');
    const context = texts.at(-1);
    const stack = texts.length > 1 ? texts[0] : undefined;
    const err = [message, ...rest].find(isError);
    const text = typeof message === 'string' ? message : (err?.message ?? 'Nest reports an object');
    // Nest throws what it reports here; whoever started the service says it once.
    if (context !== undefined && THROWN_TOO.has(context)) return;
    const chatty = level === 'info' && context !== undefined && CHATTY.has(context);
    this.pino[chatty ? 'debug' : level](
      { context, ...(stack !== undefined && { stack }), ...(err && { err }) },
      text,
    );
  }
}
