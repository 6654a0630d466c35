import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { Tracing } from '../common/tracing.js';
import { BodyReader } from './body-reader.js';
import { trustOf } from './client-address.js';
import { installClientGone } from './client-gone.js';
import { clientErrors } from './client-errors.js';
import { Connections } from './connections.js';
import { installCors, setCors } from './cors.js';
import { Drain } from './drain.js';
import { sendError } from './error-response.js';
import { deprecationHeaders, type DeprecationHeaders, installDeprecation } from './deprecation.js';
import { notFound } from '../common/errors.js';
import { HTTP_LIMITS, type HttpLimits } from './limits.js';
import { QuietLogController, createLogger, installRequestLog, logRequest } from './logging.js';
import { type MethodTable, type PathExists, collectMethods } from './method-not-allowed.js';
import { payloadOf } from './payload.js';
import { Pipelining, QueuedRequest } from './pipelining.js';
import { routerQuery } from './query.js';
import { fairnessKeyOf } from './http-requester.js';
import { RequestLogger } from './request-logger.js';
import { installRequestChecks } from './request-checks.js';
import { installSecurityHeaders, setSecurityHeaders } from './security-headers.js';
import { Unread } from './unread.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself (an upload): the content type isn't checked here. */
    rawBody?: boolean;
    /** The address is signed for its method, and gives no right to others: they are 403, as in S3, and not 405. */
    isSigned?: boolean;
  }
  interface FastifyInstance {
    /** What the server holds to, also where a route reads its body itself. */
    readonly limits: HttpLimits;
    /** How it stops. */
    readonly drain: Drain;
    /** What hears of the work; null: nobody. */
    readonly tracing: Tracing | null;
  }
}

/** Options of {@link createFastifyAdapter}. */
export interface HttpOptions {
  /** The service's logger; made from the configuration by default. */
  readonly logger?: Logger;
  /** Which paths of a pattern exist: see {@link PathExists}. */
  readonly exists?: PathExists;
  /** Called for every response, once it is sent or its client has disconnected. */
  readonly onResponse?: ResponseListener;
  /** Makes spans of the requests; null or left out: there are none. */
  readonly tracing?: Tracing | null;
  /** How it stops. */
  readonly drain?: Drain;
  /** Other limits, for tests. */
  readonly limits?: Partial<HttpLimits>;
}

/** The facts about a response. This runs on every request: keep it short. */
export type ResponseListener = (request: FastifyRequest, reply: FastifyReply) => void;

/** The settings that the HTTP layer reads. */
export type HttpConfig = Pick<Config, 'bodyLimit' | 'trustProxy' | 'corsOrigins' | 'logLevel'> &
  Partial<Pick<Config, 'apiDeprecated' | 'maxConnections' | 'maxConnectionsPerAddress'>>;

/**
 * Nest's adapter around a finished Fastify instance: parsers, error handler and 404 are ours and stay so.
 */
class ServiceAdapter extends FastifyAdapter {
  constructor(
    private readonly fastify: FastifyInstance,
    private readonly methods: MethodTable,
  ) {
    super(fastify);
  }

  /** Nest would add parsers for forms. */
  override registerParserMiddleware(): void {}

  /** Nest calls this when the routes of all controllers stand; those of plugins registered before stand in `after`. */
  override setNotFoundHandler(): FastifyInstance {
    this.fastify.after(() => this.methods.complete());
    return this.fastify;
  }

  override setErrorHandler(): FastifyInstance {
    return this.fastify;
  }
}

const createInstance = (
  config: HttpConfig,
  log: FastifyBaseLogger,
  limits: HttpLimits,
  deprecation: DeprecationHeaders | null,
  drain: Drain,
  pipelining: Pipelining,
): FastifyInstance =>
  fastify({
    // Also limits the hooks of a stop, which has a limit of its own (STOP_GRACE_SECONDS).
    pluginTimeout: 0,
    loggerInstance: log,
    logController: new QuietLogController(),
    childLoggerFactory: (logger, bindings, options) => new RequestLogger(logger as Logger, bindings, options),
    genReqId: () => randomUUID(),
    bodyLimit: config.bodyLimit,
    trustProxy: trustOf(config.trustProxy),
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    http: {
      IncomingMessage: QueuedRequest,
      ServerResponse: drain.responseClass,
      headersTimeout: limits.headersTimeout,
      requestTimeout: limits.requestTimeout,
      connectionsCheckingInterval: limits.checkInterval,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: false, // checked by a hook, which answers with the envelope
    },
    // While the service drains, requests on open connections are still served.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: limits.paramLength,
      // A Map or the error; the type only knows plain objects.
      querystringParser: (raw) => routerQuery(raw) as unknown as Record<string, unknown>,
    },
    // A path that the router can't decode; hooks don't run for it.
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply);
      setCors(config.corsOrigins, request, reply);
      deprecation?.(request, reply);
      sendError(error, request, reply);
      logRequest(request, reply);
    },
    clientErrorHandler: clientErrors(log, limits, pipelining),
  });

const installParser = (instance: FastifyInstance, limits: HttpLimits): void => {
  const reader = new BodyReader(limits);
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', (request, stream, done) =>
    reader.read(request, stream, done),
  );
};

const installSerializer = (instance: FastifyInstance): void => {
  instance.setReplySerializer((payload) => payloadOf(JSON.stringify(payload)));
};

/** Reserves memory for a large response among those that wait to be read, before it is sent. */
const installRoom = (instance: FastifyInstance, connections: Connections, limits: HttpLimits): void => {
  const unread = new Unread(limits);
  instance.decorate('unread', unread);
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (Buffer.isBuffer(payload) && payload.length >= limits.responseBytes) {
      connections.makeRoom();
      unread.sent(fairnessKeyOf(request), payload.length, reply.raw);
    }
    done(null, payload);
  });
};

const installListener = (instance: FastifyInstance, onResponse: ResponseListener): void => {
  instance.addHook('onResponse', (request, reply, done) => {
    onResponse(request, reply);
    done();
  });
};

/**
 * The HTTP server of the service, as Nest's adapter. On every route, before any guard: security headers, CORS if
 * configured, the request checks, one JSON parser; after the last route: 405 for the missing methods. `request.query` is
 * a {@link QueryParams}, `request.body` a {@link Body} or undefined, `request.id` our own UUID.
 */
export function createFastifyAdapter(config: HttpConfig, options: HttpOptions = {}): FastifyAdapter {
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const deprecation = deprecationHeaders(config.apiDeprecated ?? []);
  const drain = options.drain ?? new Drain(limits.stopGrace);
  const log = options.logger ?? createLogger(config);
  const pipelining = new Pipelining(limits);
  const instance = createInstance(config, log, limits, deprecation, drain, pipelining);
  instance.decorate('limits', limits);
  instance.decorate('drain', drain);
  instance.decorate('tracing', options.tracing ?? null);
  pipelining.install(instance.server);
  const { trustProxy, maxConnections = 0, maxConnectionsPerAddress = 0 } = config;
  const bounds = { trustProxy, maxConnections, maxConnectionsPerAddress };
  const connections = new Connections(instance.server, bounds, limits, log);
  // An `Expect` other than 100-continue may be ignored (RFC 9110 §10.1.1); Node would send 417 without a body.
  instance.server.on('checkExpectation', (request, response) =>
    instance.server.emit('request', request, response),
  );
  drain.watch(instance.server);
  // Before anything that requests need is closed.
  instance.addHook('preClose', () => drain.end(instance.server));
  const methods = collectMethods(instance, options.exists);
  installSecurityHeaders(instance);
  installDeprecation(instance, deprecation);
  installRequestLog(instance);
  options.tracing?.install(instance);
  if (options.onResponse) installListener(instance, options.onResponse);
  installCors(instance, config.corsOrigins);
  installClientGone(instance);
  installRequestChecks(instance, limits);
  installParser(instance, limits);
  installSerializer(instance);
  installRoom(instance, connections, limits);
  instance.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  instance.setNotFoundHandler((request, reply) => sendError(notFound(), request, reply));
  return new ServiceAdapter(instance, methods);
}
