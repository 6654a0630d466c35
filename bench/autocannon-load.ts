import autocannon from 'autocannon';
import { type LoadJob, type LoadResult, READS_PREPARED } from './load-tool.js';
import { quantile } from './statistics.js';

type LoadOptions = Parameters<typeof autocannon>[0];

/** Longest that the last answers may take. */
const PATIENCE_SECONDS = 60;
/** How soon the load generator notices that it is done. */
const SAMPLE_MS = 100;

/**
 * When the time is over every connection gets the answer that it waits for and sends no more, so that nothing is under way
 * afterwards: a write that comes late would fall into the next measurement.
 */
export async function autocannonLoad(job: LoadJob): Promise<LoadResult> {
  const latencies: number[] = [];
  let end = 0;
  let inTime = 0;
  const run = autocannon({
    url: job.url,
    connections: job.connections,
    duration: job.seconds + PATIENCE_SECONDS,
    sampleInt: SAMPLE_MS,
    timeout: PATIENCE_SECONDS,
    ...requestsOf(job),
  });
  // autocannon's own histogram counts whole milliseconds, which is too coarse here.
  run.on('response', (client, _status, _bytes, ms) => {
    const now = performance.now();
    end ||= now + job.seconds * 1000;
    latencies.push(ms);
    if (now < end) inTime++;
    else client.responseMax = 1;
  });
  const result = await run;
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} requests failed.`);
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    requestsPerSecond: inTime / job.seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  };
}

/** Reads are made beforehand, because that takes a third off the load generator's own work. Writes are made one by one. */
export function requestsOf({
  next,
  writes,
}: Pick<LoadJob, 'next' | 'writes'>): Pick<LoadOptions, 'requests' | 'setupClient'> {
  if (writes) return { requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }] };
  return { setupClient: (client) => client.setRequests(Array.from({ length: READS_PREPARED }, next)) };
}
