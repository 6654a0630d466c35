import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as a collector gets it, its attributes as an object. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly events: readonly unknown[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface ResourceSpans {
  readonly resource: { readonly attributes: readonly OtlpAttribute[] };
  readonly scopeSpans: readonly {
    readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'parentSpanId'> & {
      readonly parentSpanId?: string;
      readonly attributes: readonly OtlpAttribute[];
    })[];
  }[];
}

/** An OpenTelemetry collector that takes traces over HTTP and keeps them. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly resources: Record<string, unknown>[] = [];
  /** Method, path and content type of what came. */
  readonly types = new Set<string>();
  /** Whatever came, as text. */
  raw = '';
  private readonly server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const type = request.headers['content-type'] ?? '';
      this.types.add(`${request.method} ${request.url} ${type}`);
      this.raw += body.toString('utf8');
      if (type === 'application/json') this.take(JSON.parse(body.toString()) as never);
      response.writeHead(200, { 'content-type': type }).end();
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** The span that the test looks for, as soon as it is here. */
  async span(holds: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    for (let tries = 0; tries < 400; tries++) {
      const found = this.spans.find(holds);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`No such span among ${this.spans.map(({ name }) => name).join(', ')}`);
  }

  /** The spans right under one. */
  under(span: ReceivedSpan): ReceivedSpan[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  }

  private take({ resourceSpans }: { resourceSpans: ResourceSpans[] }): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(plain(resource.attributes));
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { parentSpanId = '', attributes } = span;
        this.spans.push({ ...span, parentSpanId, attributes: plain(attributes) });
      }
    }
  }
}

function plain(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
