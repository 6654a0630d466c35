/** Where a collector on the same machine listens for OTLP over HTTP. */
const NEAR = 'http://localhost:4318';

/** The settings of OpenTelemetry that say where traces go. */
export interface TraceSettings {
  readonly otelDisabled: boolean;
  readonly otelExporter: string;
  readonly otelEndpoint: string;
  readonly otelTracesEndpoint: string;
}

/**
 * Where traces go, or null: nowhere. As OpenTelemetry's "OTLP exporter configuration" has it, an endpoint for traces is
 * taken as it is, and the one for everything gets `/v1/traces`.
 */
export function tracesUrl(settings: TraceSettings): string | null {
  const { otelDisabled, otelExporter, otelEndpoint, otelTracesEndpoint } = settings;
  if (otelDisabled || otelExporter === 'none') return null;
  if (otelTracesEndpoint) return otelTracesEndpoint;
  if (!otelEndpoint && otelExporter === '') return null;
  return `${(otelEndpoint || NEAR).replace(/(?<!\/)\/+$/, '')}/v1/traces`;
}
