import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '../common/error-code.js';
import { nameOf } from './statement-name.js';
import type { TracedStatement, Tracing } from '../common/tracing.js';

/** Methods that may appear in a span's name. A client can send others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Health checks are frequent and not worth a trace. */
const HEALTH = '/health/';

/** An active request: its span, and the context of everything that it does. */
interface Traced {
  readonly span: Span;
  readonly context: Context;
}

/**
 * Spans by OpenTelemetry's semantic conventions, except for attributes that could contain an id or a secret: no URL, path or
 * query, no address, no text or values of statements, no error messages.
 */
export class OpenTelemetryTracing implements Tracing {
  private readonly requests = new WeakMap<FastifyRequest, Traced>();

  /** @param shutdown sends what is left */
  constructor(
    private readonly tracer: Tracer,
    private readonly shutdown: () => Promise<void>,
  ) {}

  install(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, _reply, done) => {
      const traced = this.begin(request);
      if (traced) context.with(traced.context, done);
      else done();
    });
    // Reading a body loses the context, because its bytes come from the connection.
    instance.addHook('preValidation', (request, _reply, done) => {
      const traced = this.requests.get(request);
      if (traced) context.with(traced.context, done);
      else done();
    });
    instance.addHook('onResponse', (request, reply, done) => {
      this.end(request, reply);
      done();
    });
  }

  statement<T>(statement: TracedStatement, work: () => Promise<T>): Promise<T> {
    if (!trace.getActiveSpan()) return work();
    const { operation, table, summary } = nameOf(statement);
    const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
    if (operation !== null) attributes['db.operation.name'] = operation;
    if (table !== null) attributes['db.collection.name'] = table;
    return this.included(this.tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes }), work);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    if (!trace.getActiveSpan()) return work();
    return this.included(this.tracer.startSpan('transaction'), work);
  }

  job<T>(handler: string, attempt: number, work: () => Promise<T>): Promise<T> {
    const attributes = { 'kindred.cron.handler': handler, 'kindred.cron.attempt': attempt };
    return this.included(this.tracer.startSpan(`cron ${handler}`, { root: true, attributes }), work);
  }

  stop(): Promise<void> {
    return this.shutdown();
  }

  private begin(request: FastifyRequest): Traced | null {
    const route = request.routeOptions.url;
    if (route?.startsWith(HEALTH)) return null;
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const attributes: Attributes = { 'http.request.method': method, 'kindred.request_id': request.id };
    if (route !== undefined) attributes['http.route'] = route;
    const name = [method === '_OTHER' ? 'HTTP' : method, ...(route === undefined ? [] : [route])].join(' ');
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const traced = { span, context: trace.setSpan(parent, span) };
    this.requests.set(request, traced);
    return traced;
  }

  private end(request: FastifyRequest, reply: FastifyReply): void {
    const span = this.requests.get(request)?.span;
    if (!span) return;
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) {
      span.setAttribute('error.type', String(reply.statusCode));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }

  private async included<T>(span: Span, work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(trace.setSpan(context.active(), span), work);
    } catch (error) {
      // Its message may repeat a value.
      const type = codeOf(error) || (error instanceof Error ? error.name : typeof error);
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}
