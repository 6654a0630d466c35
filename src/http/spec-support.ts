/** What the specs of the HTTP layer share: a small application on a real port, and a client that speaks raw bytes. */
import { type AddressInfo, connect } from 'node:net';
import { Controller, Get, Global, Module, Param, Post, Put, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HealthModule } from '../health/health.module.js';
import { ReadinessProbe } from '../common/readiness-probe.js';
import { Access } from './access.decorator.js';
import { stoppedAtTheEnd } from '../../test/support/left-running.js';
import { TestModule } from '../test-endpoint/test.module.js';
import { configureHttp } from './configure.js';
import { ApiError, missing } from '../common/errors.js';
import { createLogger } from './logging.js';
import { NestLogger } from './nest-logger.js';
import { type HttpConfig, type HttpOptions, createFastifyAdapter } from './server.js';

/** Calls that reached a handler; a refused request must leave no trace here. */
export const handled: string[] = [];

/** What the readiness probe of the application answers. */
export const probe = { ready: (): Promise<boolean> => Promise.resolve(true) };

/** What `things/held` waits for. */
export const gate = { opened: (): Promise<void> => Promise.resolve() };

@Controller('things')
@Access('open')
class ThingsController {
  @Get('held')
  async hold(): Promise<object> {
    handled.push('held');
    await gate.opened();
    return {};
  }

  @Get(':id')
  read(@Param('id') id: string): object {
    handled.push(`read ${id}`);
    return { id };
  }

  @Get(':id/:relation')
  relation(@Param('relation') relation: string): object {
    return { relation };
  }

  @Put(':id/import')
  import(): object {
    handled.push('import');
    return {};
  }

  @Post('null')
  throwNull(): void {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the point of the test
    throw null;
  }

  @Post('secret')
  throwSecret(): void {
    throw new Error('the secret is s3cr3t');
  }

  @Post('warned')
  warned(): void {
    const warnings = [{ code: 442, message: 'size is too large', data: 'size' }];
    throw new ApiError('missing', missing('name').message, 'name', {
      warnings,
      headers: { 'x-extra': 'yes' },
    });
  }

  @Post('circular')
  circular(): object {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    return loop;
  }
}

@Global()
@Module({
  imports: [TestModule, HealthModule],
  controllers: [ThingsController],
  providers: [{ provide: ReadinessProbe, useValue: { ready: () => probe.ready() } }],
  exports: [ReadinessProbe],
})
class ThingsModule {}

/** A running application. */
export interface Running {
  readonly app: NestFastifyApplication;
  readonly port: number;
  /** The log, line by line. */
  readonly lines: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends bytes as they are, and gives all that comes back until the connection ends or `wait` milliseconds pass. */
  raw(bytes: string | Buffer, wait?: number): Promise<{ text: string; closed: boolean }>;
}

const raw =
  (port: number) =>
  (bytes: string | Buffer, wait = 1500) =>
    new Promise<{ text: string; closed: boolean }>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      const end = (closed: boolean): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve({ text, closed });
      };
      const timer = setTimeout(() => end(false), wait);
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      socket.on('end', () => end(true)).on('error', () => end(true));
    });

/**
 * Boots the application, with controllers of a spec's own, on any free port of the loopback interface. Jest closes it after
 * the file if nobody did.
 */
export async function boot(
  options: HttpOptions & Partial<HttpConfig> & { readonly controllers?: Type[] } = {},
): Promise<Running> {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'debug' }, { write: (line: string) => void lines.push(line) });
  const {
    corsOrigins = [],
    trustProxy = false,
    maxConnections = 0,
    maxConnectionsPerAddress = 0,
    controllers = [],
    ...rest
  } = options;
  const bounds = { maxConnections, maxConnectionsPerAddress };
  const config = { bodyLimit: 100_000, trustProxy, logLevel: 'debug' as const, corsOrigins, ...bounds };
  const adapter = createFastifyAdapter(config, { logger, ...rest });
  const app = await NestFactory.create<NestFastifyApplication>(
    { module: ThingsModule, controllers },
    adapter,
    {
      logger: new NestLogger(logger),
      abortOnError: false,
    },
  );
  configureHttp(app);
  app.close = stoppedAtTheEnd(app.close.bind(app));
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { app, port, lines, fetch: get, raw: raw(port) };
}

/** The header of a JSON body. */
export const JSON_HEADERS = { 'content-type': 'application/json' };

/** Sends a request and gives status, headers and the parsed answer. */
export async function send(
  run: Running,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = JSON_HEADERS,
) {
  const response = await run.fetch(path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  const json = text === '' ? null : (JSON.parse(text) as unknown);
  return { status: response.status, headers: response.headers, json };
}
