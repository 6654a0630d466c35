import autocannon from 'autocannon';
import type { DatabaseCpu } from './database-cpu.js';
import type { Operation } from './operations.js';
import type { ServerProcess } from './server-process.js';

/** One operation on one server for some seconds. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU of the server's process for one request, microseconds. */
  readonly cpu: number;
  /** CPU of PostgreSQL for one request, microseconds; NaN where it can't be known. */
  readonly databaseCpu: number;
  /** Resident memory of the server's process afterwards, in bytes. */
  readonly rss: number;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly database: DatabaseCpu;
}

type LoadOptions = Parameters<typeof autocannon>[0];

/** Different requests of one connection that only reads, made beforehand; then they come again. */
const PREPARED = 300;

/** Longest that the last answers may take. */
const PATIENCE_SECONDS = 60;
/** How soon the load generator notices that it is done. */
const SAMPLE_MS = 100;

/**
 * Puts load on a server and measures. When the time is over every connection gets the answer that it waits for and
 * sends no more, so that nothing is under way afterwards: a write that comes late would fall into the next measurement.
 * Throws when any answer is not a success.
 */
export async function measure(server: ServerProcess, operation: Operation, load: Load): Promise<Measurement> {
  const latencies: number[] = [];
  let end = 0;
  let inTime = 0;
  const before = { server: await server.usage(), database: load.database() };
  const run = autocannon({
    url: server.url,
    connections: load.connections,
    duration: load.seconds + PATIENCE_SECONDS,
    sampleInt: SAMPLE_MS,
    timeout: PATIENCE_SECONDS,
    ...requestsOf(server, operation),
  });
  // autocannon's own histogram counts whole milliseconds, which is too coarse here.
  run.on('response', (client, _status, _bytes, ms) => {
    const now = performance.now();
    end ||= now + load.seconds * 1000;
    latencies.push(ms);
    if (now < end) inTime++;
    else client.responseMax = 1;
  });
  const result = await run;
  const after = { server: await server.usage(), database: load.database() };
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${operation.name}: ${failed} failed requests at the ${server.name}.`);
  const requests = latencies.length;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requestsPerSecond: inTime / load.seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    cpu: (after.server.cpu - before.server.cpu) / requests,
    databaseCpu: (after.database - before.database) / requests,
    rss: after.server.rss,
  };
}

/**
 * Reads are made beforehand, because that takes a third off the load generator's own work, which shares the processors
 * with what is measured. Writes are made one by one: an update that was sent before changes nothing.
 */
export function requestsOf(
  server: ServerProcess,
  operation: Operation,
): Pick<LoadOptions, 'requests' | 'setupClient'> {
  const next = (server.name === 'reference' && operation.referenceRequest) || operation.request;
  if (operation.writes) return { requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }] };
  return { setupClient: (client) => client.setRequests(Array.from({ length: PREPARED }, next)) };
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return (quantile(sorted, 0.5) + (sorted.at(-1 - Math.floor(sorted.length / 2)) ?? NaN)) / 2;
}

function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}
