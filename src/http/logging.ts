import { type FastifyInstance, LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.js';
import { redactedNames } from '../common/redaction.js';
import { clientAddress } from './client-address.js';
import type { Drain } from './drain.js';
import { isError } from '../common/is-error.js';
import { openSink } from './log-sink.js';

/** Fastify's errors that repeat the URL, which may hold a search text or a signature. */
const REPEATS_URL = new Set(['FST_ERR_REP_ALREADY_SENT', 'FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);

interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

/**
 * An error for the log, by an allow list: database errors also carry the statement, its parameters and whole rows, which
 * may be secrets.
 */
export function loggedError(error: unknown, depth = 0): LoggedError | undefined {
  if (!isError(error)) return undefined;
  const code = 'code' in error ? String(error.code) : undefined;
  const silent = code !== undefined && REPEATS_URL.has(code);
  const inner =
    depth < 4 ? loggedError('driverError' in error ? error.driverError : error.cause, depth + 1) : undefined;
  return {
    type: error.name,
    message: silent ? code : error.message,
    ...(code !== undefined && { code }),
    ...(!silent && error.stack !== undefined && { stack: error.stack }),
    ...(inner && { cause: inner }),
  };
}

/** The text of a line. If there is none, pino takes that of the error, bypassing the serializer. */
const textOf = (first: unknown): string | undefined => {
  const err = typeof first === 'object' && first !== null && 'err' in first ? first.err : first;
  return loggedError(err)?.message;
};

/** The service's one logger: JSON lines on standard output, or on `destination`. No headers, bodies, cookies, queries. */
export function createLogger(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(args, method) {
          const [first, text = textOf(first), ...rest] = args as unknown[];
          if (typeof first === 'string') method.apply(this, args);
          else
            method.call(this, isError(first) ? { err: first } : first, text as string | undefined, ...rest);
        },
      },
      serializers: {
        err: (error: unknown) => loggedError(error),
        req: ({ method }: FastifyRequest) => ({ method }),
        res: ({ statusCode }: FastifyReply) => ({ statusCode }),
      },
      redact: redactedNames().flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
    },
    destination ?? openSink(1),
  );
}

/** Keeps Fastify's own lines out where {@link logRequest} says the same, or where they would repeat the URL. */
export class QuietLogController extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId' });
  }
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override routeNotFound(): void {}
}

/** A request with the properties that are known when its response is sent. */
export type LoggedRequest = FastifyRequest & {
  /** Public id of the caller's user. */
  readonly actor?: string | null;
  /** The `code` of the error response. */
  errorCode?: number;
  /** Public id of the record that the request has created. */
  madeId?: string;
};

/**
 * The public id of the record that a request is about, or null: the path parameter `id`, or else the record that it
 * created. Never the id of a session, which is a secret: that has another format.
 */
export function recordId({ params, madeId }: Pick<LoggedRequest, 'params' | 'madeId'>): string | null {
  const { id = madeId } = (params ?? {}) as { id?: unknown };
  return typeof id === 'string' && /^v[a-zA-Z0-9]{8,28}$/.test(id) ? id : null;
}

/** Where balancers ask whether the service can take requests. */
export const READY_PATH = '/health/ready';

/** The level of a request's line. That a service that is about to stop is not ready is no error. */
export function levelOf(status: number, route: string | null, drain: Drain): 'error' | 'info' {
  if (status === 503 && route === READY_PATH && drain.isDraining) return 'info';
  return status >= 500 ? 'error' : 'info';
}

/**
 * Logs one line for each response: method, route pattern (never the URL: paths and queries can contain secrets), status,
 * milliseconds, address, user, record, and the error's code. The request id is bound to the request's
 * logger.
 */
export function logRequest(request: LoggedRequest, reply: FastifyReply): void {
  const { statusCode: status } = reply;
  const route = request.routeOptions.url ?? null;
  const level = levelOf(status, route, request.server.drain);
  if (!(request.log as Logger).isLevelEnabled(level)) return;
  const record = recordId(request);
  request.log[level](
    {
      method: request.method,
      route,
      status,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      address: shownAddress(request.ip),
      ...(request.actor && { actor: request.actor }),
      ...(record !== null && { record }),
      ...(request.errorCode !== undefined && { error: request.errorCode }),
      // The client disconnected before the response was sent.
      ...(!reply.raw.writableEnded && { aborted: true }),
    },
    'request',
  );
}

/** Installs {@link logRequest} for every route. */
export function installRequestLog(instance: FastifyInstance): void {
  instance.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/** An address for the log: normalized, or cut if it is not valid. */
export function shownAddress(address: string | undefined): string | undefined {
  return clientAddress(address) ?? address?.slice(0, 64);
}

/** A security event. Its ids are public ids. It never contains a session id, which is a secret. */
export interface AuditEvent {
  /** What it is about, e.g. `login`, `role`, `access`. */
  readonly event: string;
  readonly outcome: 'success' | 'failure' | 'refused';
  /** Public id of the user who acted; null: anonymous. */
  readonly actor: string | null;
  /** What was done or tried, e.g. `create`, or the changed role. */
  readonly action: string;
  /** Public id of the record concerned, or null. */
  readonly target: string | null;
  /** Remote address, as the proxy setting has it. */
  readonly address: string;
}

/** Writes a security event as one structured line, at level info. `log` is the request's: it adds the request id. */
export function audit(log: Pick<Logger, 'info'>, event: AuditEvent): void {
  const { outcome, actor, action, target, address } = event;
  log.info({ event: event.event, outcome, actor, action, target, address: shownAddress(address) }, 'audit');
}
