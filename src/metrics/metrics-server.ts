import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { Config } from '../config/config.js';
import { StartupError } from '../config/startup-error.js';
import { Database } from '../database/database.js';
import { JobFigures } from '../scheduler/job-figures.js';
import { Metrics } from './metrics.js';

const SLOW_CLIENT_MS = 10_000;

/**
 * `GET /metrics`, on an address of its own (METRICS_HOST, METRICS_PORT): who can reach the API can't thereby read how the
 * service is doing.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = createServer(
    { requestTimeout: SLOW_CLIENT_MS, headersTimeout: SLOW_CLIENT_MS, maxHeaderSize: 8192 },
    (request, response) => void answer(this.metrics.registry, request, response),
  );

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    database: Database,
    jobs: JobFigures,
  ) {
    metrics.watchDatabase(database);
    metrics.watchJobs(jobs);
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
}

async function answer(registry: Registry, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path !== '/metrics' || !isRead) {
    response
      .writeHead(path === '/metrics' ? 405 : 404, path === '/metrics' ? { allow: 'GET, HEAD' } : {})
      .end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
