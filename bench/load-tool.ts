import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BenchRequest } from './operations.js';

/** What a load generator saw. */
export interface LoadResult {
  /** Answers in all, those after the time was over too. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** What a load generator is to do. */
export interface LoadJob {
  /** Of the server: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Makes one more request. */
  readonly next: () => BenchRequest;
  /** Requests must not come again: a change that was made before changes nothing. */
  readonly writes: boolean;
}

/** Puts load on a server; throws when any answer is not a success. */
export type LoadTool = (job: LoadJob) => Promise<LoadResult>;

/** Different reads of one connection, made beforehand; then they come again. */
export const READS_PREPARED = 300;

/**
 * wrk where it is installed, else autocannon, which needs nothing but Node. The load generator shares the processors with
 * what it measures: autocannon takes about as much of them as a fast server does, wrk a tenth of that.
 */
export async function loadTool(): Promise<{ name: string; run: LoadTool }> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (folders.some((folder) => isExecutable(join(folder, 'wrk')))) {
    return { name: 'wrk', run: (await import('./wrk-load.js')).wrkLoad };
  }
  return { name: 'autocannon', run: (await import('./autocannon-load.js')).autocannonLoad };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
