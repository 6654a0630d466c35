import type { DatabaseCpu } from './database-cpu.js';
import type { LoadTool } from './load-tool.js';
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
  readonly tool: LoadTool;
  readonly connections: number;
  readonly seconds: number;
  readonly database: DatabaseCpu;
}

/** Puts load on a server and measures. Throws when any answer is not a success. */
export async function measure(server: ServerProcess, operation: Operation, load: Load): Promise<Measurement> {
  const { connections, seconds } = load;
  const before = { server: await server.usage(), database: load.database() };
  const { requests, ...seen } = await load
    .tool({
      url: server.url,
      connections,
      seconds,
      next: nextOf(server, operation),
      writes: operation.writes ?? false,
    })
    .catch((error: unknown) => {
      throw new Error(`${operation.name}, ${server.name}: ${String(error)}`, { cause: error });
    });
  const after = { server: await server.usage(), database: load.database() };
  return {
    ...seen,
    cpu: (after.server.cpu - before.server.cpu) / requests,
    databaseCpu: (after.database - before.database) / requests,
    rss: after.server.rss,
  };
}

/** What makes the requests of an operation to a server. */
export function nextOf(server: ServerProcess, operation: Operation): Operation['request'] {
  return (server.name === 'reference' && operation.referenceRequest) || operation.request;
}
