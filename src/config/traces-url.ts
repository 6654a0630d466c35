/** The default address of a local collector for OTLP over HTTP. */
const NEAR = 'http://localhost:4318';

/** The settings of OpenTelemetry for the destination of traces. */
export interface TraceSettings {
  readonly otelDisabled: boolean;
  readonly otelExporter: string;
  readonly otelEndpoint: string;
  readonly otelTracesEndpoint: string;
}

/**
 * The URL to send traces to; null for none. According to OpenTelemetry's "OTLP exporter configuration", an endpoint for
 * traces is used as it is, and the general endpoint gets `/v1/traces`.
 */
export function tracesUrl(settings: TraceSettings): string | null {
  const { otelDisabled, otelExporter, otelEndpoint, otelTracesEndpoint } = settings;
  if (otelDisabled || otelExporter === 'none') return null;
  if (otelTracesEndpoint) return otelTracesEndpoint;
  if (!otelEndpoint && otelExporter === '') return null;
  return `${(otelEndpoint || NEAR).replace(/(?<!\/)\/+$/, '')}/v1/traces`;
}
