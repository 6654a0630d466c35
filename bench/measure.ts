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
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly database: DatabaseCpu;
}

/** Puts load on a server and measures. Throws when any answer is not a success. */
export async function measure(server: ServerProcess, operation: Operation, load: Load): Promise<Measurement> {
  const latencies: number[] = [];
  const before = { server: await server.usage(), database: load.database() };
  const run = autocannon({
    url: server.url,
    connections: load.connections,
    duration: load.seconds,
    requests: [{ setupRequest: (request) => ({ ...request, ...operation.request() }) }],
  });
  // autocannon's own histogram counts whole milliseconds, which is too coarse here.
  run.on('response', (_client, _status, _bytes, ms) => latencies.push(ms));
  const result = await run;
  const after = { server: await server.usage(), database: load.database() };
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${operation.name}: ${failed} failed requests at the ${server.name}.`);
  const requests = latencies.length;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requestsPerSecond: requests / result.duration,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    cpu: (after.server.cpu - before.server.cpu) / requests,
    databaseCpu: (after.database - before.database) / requests,
  };
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return (quantile(sorted, 0.5) + (sorted.at(-1 - Math.floor(sorted.length / 2)) ?? NaN)) / 2;
}

function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}
