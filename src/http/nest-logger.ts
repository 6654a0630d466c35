import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { isError } from '../common/is-error.js';
import { loggedError } from './logging.js';

/** Contexts of Nest's start-up lists of modules and routes, which are not useful in operation. */
const CHATTY = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Contexts whose errors are thrown as well. */
const THROWN_TOO = new Set(['ExceptionHandler', 'TypeOrmModule']);

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * Nest's logger, which writes the lines of `new Logger(context)` to the service's log. Nest passes the context last, and a
 * stack before it. The other texts are joined, and members of objects become members of the line.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log = (message: unknown, ...rest: unknown[]): void => this.write('info', message, rest);
  fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);
  error = (message: unknown, ...rest: unknown[]): void => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const { context, stack, err, text, fields } = partsOf(level, message, rest);
    // Nest also throws what it reports here, so it would be logged twice.
    if (context !== undefined && THROWN_TOO.has(context)) return;
    const chatty = level === 'info' && context !== undefined && CHATTY.has(context);
    this.pino[chatty ? 'debug' : level](
      { ...fields, context, ...(stack !== undefined && { stack }), ...(err && { err }) },
      text,
    );
  }
}

interface Parts {
  readonly context: string | undefined;
  readonly stack: string | undefined;
  readonly err: Error | undefined;
  readonly text: string | undefined;
  /** Members of the object arguments, as members of the line, where redaction applies. */
  readonly fields: Record<string, unknown>;
}

function partsOf(level: Level, message: unknown, rest: readonly unknown[]): Parts {
  const all = [message, ...rest];
  const context = rest.length > 0 && typeof rest.at(-1) === 'string' ? (all.pop() as string) : undefined;
  const isFault = level === 'error' || level === 'fatal';
  const stack =
    isFault && all.length > 1 && typeof all.at(-1) === 'string' ? (all.pop() as string) : undefined;
  const err = all.find(isError);
  const objects = all.filter((part) => typeof part === 'object' && part !== null && !isError(part));
  const texts = all.filter((part) => part !== undefined && typeof part !== 'object').map(String);
  return {
    context,
    stack,
    err,
    text: texts.length > 0 ? texts.join(' ') : err?.message,
    fields: Object.fromEntries(objects.flatMap(entriesOf).map(shown)),
  };
}

const entriesOf = (part: unknown): [string, unknown][] =>
  Array.isArray(part) ? [['data', part]] : Object.entries(part as object);

/** Members of an error may be secret, such as the parameters of a statement. */
const shown = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  isError(value) ? loggedError(value) : value,
];
