import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Config } from '../config/config.js';
import { StartupError } from '../common/startup-error.js';
import { Database } from '../postgres/database.js';
import { JobStats } from '../scheduler/job-stats.js';
import { clientErrors } from '../http/client-errors.js';
import { JSON_TYPE, errorBody } from '../http/error-response.js';
import { toFailure } from '../http/error-mapping.js';
import { ApiError, type Failure, methodNotAllowed, notFound } from '../common/errors.js';
import { HTTP_LIMITS } from '../http/limits.js';
import { isError } from '../common/is-error.js';
import { Drain } from '../http/drain.js';
import { levelOf, READY_PATH, shownAddress } from '../http/logging.js';
import { SERVICE_LOG } from '../http/logging.module.js';
import { RepeatedErrors } from '../http/repeated-errors.js';
import { Pipelining } from '../http/pipelining.js';
import { SECURITY_HEADERS } from '../http/security-headers.js';
import { Health } from '../health/health.js';
import { Metrics } from './metrics.js';

const SLOW_CLIENT_MS = 10_000;

/**
 * Serves `GET /metrics` and `/health` on an address of their own (METRICS_HOST, METRICS_PORT): clients of the API can't read
 * the metrics, and health checks do not wait behind requests. Failures use the API's envelope and are logged; successful
 * requests, which are frequent, are not.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer(
    { requestTimeout: SLOW_CLIENT_MS, headersTimeout: SLOW_CLIENT_MS, maxHeaderSize: 8192 },
    (request, response) => void this.respond(request, response),
  );

  private readonly pages: ReadonlyMap<string, Page>;
  private readonly errors: RepeatedErrors;

  constructor(
    private readonly config: Config,
    @Inject(SERVICE_LOG) private readonly log: Logger,
    metrics: Metrics,
    health: Health,
    database: Database,
    jobs: JobStats,
    private readonly drain: Drain,
  ) {
    this.pages = pagesOf(metrics.registry, health);
    this.errors = new RepeatedErrors(log);
    metrics.watchDatabase(database);
    metrics.watchJobs(jobs);
    // Clients of this address are trusted: invalid HTTP needs no log line.
    const pipelining = new Pipelining(HTTP_LIMITS);
    pipelining.install(this.server);
    this.server.on('clientError', clientErrors({ info: () => undefined }, HTTP_LIMITS, pipelining));
  }

  /** Where it listens, `http://host:port`. */
  get url(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** @throws StartupError when the address can't be listened on */
  async onApplicationBootstrap(): Promise<void> {
    const { metricsHost, metricsPort } = this.config;
    this.server.listen(metricsPort ?? 0, metricsHost);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartupError(
        `The metrics can’t be served: ${reason}. Set METRICS_PORT and METRICS_HOST to a free address.`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'x-request-id': requestId };
    const path = request.url?.split('?', 1)[0] ?? '';
    const page = this.pages.get(path);
    try {
      if (!page) throw notFound();
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
      const { type, text } = await page();
      response.writeHead(200, { ...headers, 'content-type': type }).end(text);
    } catch (thrown) {
      const error = toFailure(thrown, { requestId, bodyLimit: 0 });
      response
        .writeHead(error.status, { ...headers, ...error.extra.headers, 'content-type': JSON_TYPE })
        .end(JSON.stringify(errorBody(error)));
      this.tell(request, page ? path : null, error, thrown, this.log.child({ requestId }));
    }
  }

  /** Logs a request in the format of the API's request log. */
  private tell(
    { method, socket }: IncomingMessage,
    route: string | null,
    { status, code }: Failure,
    thrown: unknown,
    log: Logger,
  ): void {
    if (isError(thrown) && !(thrown instanceof ApiError)) this.errors.write(log, thrown, status);
    const address = shownAddress(socket.remoteAddress);
    log[levelOf(status, route, this.drain)]({ method, route, status, address, error: code }, 'request');
  }
}

/** The response of a path: a text with a media type. */
type Page = () => Promise<{ type: string; text: string }>;

const json = (value: unknown) => ({ type: JSON_TYPE, text: JSON.stringify(value) });

function pagesOf(registry: Registry, health: Health): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ['/metrics', async () => ({ type: registry.contentType, text: await registry.metrics() })],
    ['/health/live', () => Promise.resolve(json(health.live()))],
    [READY_PATH, async () => json(await health.ready())],
  ]);
}
