import { context, propagation, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import { withTimeout } from '../common/with-timeout.js';
import type { Config } from '../config/config.js';
import { OpenTelemetryTracing } from './open-telemetry.js';
import type { Tracing } from '../common/tracing.js';

/** How long a stop waits for a collector that does not respond, in milliseconds. */
const STOP_MS = 3000;
/** Milliseconds between two log lines about an unavailable collector. */
const COMPLAIN_MS = 60_000;

/**
 * Starts OpenTelemetry with `url` as its destination and registers it globally, so that kinds and handlers can add spans
 * with `@opentelemetry/api`. OpenTelemetry's own environment variables set sampling, headers, batches and the like.
 */
export function startTracing(
  url: string,
  { otelServiceName, otelProtocol }: Pick<Config, 'otelServiceName' | 'otelProtocol'>,
  log: Logger,
): Tracing {
  const Exporter = otelProtocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter = new Exporter({ url });
  const named = resourceFromAttributes({ 'service.name': otelServiceName });
  const provider = new NodeTracerProvider({
    resource: detectResources({ detectors: [envDetector] }).merge(named),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  let complained = 0;
  setGlobalErrorHandler((error) => {
    if (Date.now() - complained < COMPLAIN_MS) return;
    complained = Date.now();
    log.warn({ err: error }, 'traces could not be sent');
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return new OpenTelemetryTracing(provider.getTracer('kindred'), () => stop(provider));
}

async function stop(provider: NodeTracerProvider): Promise<void> {
  await withTimeout(
    STOP_MS,
    provider.shutdown().catch(() => undefined),
    undefined,
  );
  for (const api of [trace, context, propagation]) api.disable();
}
