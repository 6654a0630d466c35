import type { FastifyInstance } from 'fastify';

/** A statement as a trace shows it: its name, never its text or values. */
export interface TracedStatement {
  readonly name?: string;
  readonly text: string;
}

/**
 * What the service tells of its work while it does it. Where nobody asked for traces there is no such object at all, and
 * nothing of OpenTelemetry is loaded.
 */
export interface Tracing {
  /** A span for every request; whatever the request does stands under it. To be called before the routes are there. */
  install(instance: FastifyInstance): void;
  /** A span for a statement, under that of the request or run that it serves; none where it serves neither. */
  statement<T>(statement: TracedStatement, work: () => Promise<T>): Promise<T>;
  /** A span for a transaction, from the wait for a connection to its end; its statements stand under it. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** A span for one try of a job, which stands for itself. */
  job<T>(handler: string, attempt: number, work: () => Promise<T>): Promise<T>;
  /** Sends what is still here, for a moment, and ends. */
  stop(): Promise<void>;
}

/** The token of the service's {@link Tracing}, which is null where there is none. */
export const TRACING = Symbol('tracing');
