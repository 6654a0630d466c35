import cookie from '@fastify/cookie';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AppModule, type AppOptions } from './app.module.js';
import type { Config } from './config/config.js';
import { checkVersions } from './config/api-deprecated.js';
import { prepareDataFolder } from './config/data-folder.js';
import { configureHttp } from './http/configure.js';
import { Drain } from './http/drain.js';
import type { HttpLimits } from './http/limits.js';
import { createLogger } from './http/logging.js';
import { mapDirectly } from './http/map-interceptor.js';
import type { PathExists } from './http/method-not-allowed.js';
import { NestLogger } from './http/nest-logger.js';
import { type ResponseListener, createFastifyAdapter } from './http/server.js';
import { VERSION_DOCUMENT } from './openapi/openapi.controller.js';
import { ApiVersions } from './record/api-versions.js';
import { relationAt } from './record/schema/kind-graph.js';
import { tracesUrl } from './config/traces-url.js';
import type { Tracing } from './common/tracing.js';

/** What the service is created with. */
export interface CreateAppOptions extends AppOptions {
  readonly logger?: Logger;
  /** For tests. */
  readonly limits?: Partial<HttpLimits>;
}

/** The service with all its routes, connected and migrated, not yet listening. */
export async function createApp(options: CreateAppOptions): Promise<NestFastifyApplication> {
  const { config, logger = createLogger(config), limits } = options;
  let versions: ApiVersions | null = null;
  const exists: PathExists = (pattern, params) => versions === null || isPath(versions, pattern, params);
  const isService = options.background !== false;
  if (isService) await prepareDataFolder(config.dataDir);
  const metrics = isService && config.metricsPort !== null ? await loadMetrics() : null;
  const tracing = isService ? await loadTracing(config, logger) : null;
  const onResponse = metrics?.onResponse;
  const drain = new Drain(limits?.stopGrace ?? config.stopGraceSeconds * 1000);
  const adapter = createFastifyAdapter(config, { logger, exists, limits, onResponse, tracing, drain });
  const module = AppModule.with({ ...options, parts: metrics ? [metrics.module] : [] }, logger);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    // A command has something to say itself.
    logger: new NestLogger(isService ? logger : logger.child({}, { level: 'warn' })),
    bodyParser: false,
    abortOnError: false,
  });
  try {
    const known = app.get(ApiVersions);
    checkVersions(config, known.names);
    versions = known;
    await app.register(cookie);
    configureHttp(app);
    mapDirectly(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  } catch (error) {
    // What has begun, such as connections and timers, would go on without anybody who stops it.
    await app.close().catch(() => undefined);
    throw error;
  }
}

/** Loads OpenTelemetry only if traces are configured. */
async function loadTracing(config: Config, logger: Logger): Promise<Tracing | null> {
  const url = tracesUrl(config);
  if (url === null) return null;
  const { startTracing } = await import('./tracing/start-tracing.js');
  return startTracing(url, config, logger);
}

/** Loads the metrics only if they are configured. */
async function loadMetrics(): Promise<{ module: DynamicModule; onResponse: ResponseListener }> {
  const [{ Metrics }, { MetricsModule }] = await Promise.all([
    import('./metrics/metrics.js'),
    import('./metrics/metrics.module.js'),
  ]);
  const metrics = new Metrics();
  return { module: MetricsModule.forRoot(metrics), onResponse: metrics.onResponse };
}

/** A path that ends in a relation exists only where the kind has it: 404 for the others, whatever the method. */
function isPath(versions: ApiVersions, pattern: string, params: Readonly<Record<string, string>>): boolean {
  if (pattern === VERSION_DOCUMENT) return versions.has(params.version ?? '');
  if (!pattern.endsWith('/:id/:relation')) return true;
  const kinds = versions.names
    .map((name) => versions.engine(name))
    .flatMap(({ basePath, graph }) =>
      graph.all().map((kind) => ({ kind, path: `${basePath}/${kind.path}` })),
    );
  const found = kinds.find(({ path }) => pattern === `${path}/:id/:relation`);
  return found !== undefined && relationAt(found.kind, params.relation ?? '') !== null;
}
