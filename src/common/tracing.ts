import type { FastifyInstance } from 'fastify';

/** A statement as a trace shows it: its name and table, never its text or values. */
export interface TracedStatement {
  readonly name?: string;
  readonly text: string;
  /** The main table, of several. */
  readonly table?: string;
}

/**
 * Records spans of the service's work. Without a configured collector there is no such object, and OpenTelemetry is not
 * loaded.
 */
export interface Tracing {
  /** Adds a span for each request, the parent of everything that the request does. Call it before routes are registered. */
  install(instance: FastifyInstance): void;
  /** Adds a span for a statement, within that of its request or run; none outside of them. */
  statement<T>(statement: TracedStatement, work: () => Promise<T>): Promise<T>;
  /** Adds a span for a transaction, from the wait for a connection to its end: the parent of its statements. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Adds a root span for one try of a job. */
  job<T>(handler: string, attempt: number, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining spans, within a short time limit, and stops. */
  stop(): Promise<void>;
}

/** The token of the service's {@link Tracing}, which is null if there is none. */
export const TRACING = Symbol('tracing');
