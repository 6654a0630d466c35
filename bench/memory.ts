import autocannon from 'autocannon';
import { requestsOf } from './autocannon-load.js';
import { operations } from './operations.js';
import type { BenchOptions } from './options.js';
import { machine, megabytes } from './report.js';
import type { ServerProcess } from './server-process.js';
import type { Stage } from './stage.js';
import { atMost, type Verdict } from './verdict.js';

const MAX_MEGABYTES = 200;
/** Percent by which the last third's mean may be above the middle third's: garbage collection alone moves it that much. */
const MAX_GROWTH = 5;
/** The memory is looked at between the parts of a run, and every so often while one runs. */
const PARTS = 10;
const SAMPLE_MS = 500;

/** Whether the service's memory stays flat over many reads of all sorts, and how much it takes at most. */
export async function memory(stage: Stage, options: BenchOptions): Promise<Verdict[]> {
  const { say } = stage;
  const data = await stage.load(options.rows);
  const service = await stage.service(data, options.logLevel);
  const reads = operations(data.rows, data.callers, stage.ids).filter((one) => !one.writes);
  const { connections } = options;
  const amount = Math.ceil(options.requests / PARTS);
  say(`\n${options.requests} requests, ${connections} connections, ${data.rows} rows; ${machine()}`);
  say(`Mixed: ${reads.map(({ name }) => name).join(', ')}.`);
  say(`Memory at first: ${megabytes((await service.usage()).rss)}`);
  const samples: number[][] = [];
  for (let part = 1; part <= PARTS; part++) {
    const next = mixed(reads.map(({ request }) => request));
    const seen = await watched(service, async () => {
      const result = await autocannon({
        url: service.url,
        connections,
        amount,
        ...requestsOf({ next, writes: false }),
      });
      const failed = result.non2xx + result.errors + result.timeouts;
      if (failed > 0) throw new Error(`${failed} requests failed.`);
    });
    samples.push(seen);
    const now = megabytes(seen.at(-1) ?? NaN);
    say(`After ${part * amount} requests: ${now}, at most ${megabytes(Math.max(...seen))} on the way`);
  }
  const third = PARTS / 3;
  const middle = mean(samples.slice(Math.floor(third), Math.floor(2 * third)).flat());
  const last = mean(samples.slice(Math.floor(2 * third)).flat());
  return [
    atMost('memory at most', Math.max(...samples.flat()) / 1e6, MAX_MEGABYTES, ' MB'),
    atMost('memory of the last third above the middle third', (last / middle - 1) * 100, MAX_GROWTH, ' %'),
  ];
}

/** A request of each in turn. */
function mixed<T>(requests: readonly (() => T)[]): () => T {
  let next = 0;
  return () => {
    const request = requests[next++ % requests.length];
    if (!request) throw new Error('There is nothing to mix.');
    return request();
  };
}

/** The resident memory of a server while `work` goes on and when it is done, in bytes. */
async function watched(server: ServerProcess, work: () => Promise<void>): Promise<number[]> {
  const seen: number[] = [];
  let asked = Promise.resolve();
  const look = async () => void seen.push((await server.usage()).rss);
  // One question at a time.
  const timer = setInterval(() => {
    asked = asked.then(look);
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await asked;
  }
  await look();
  return seen;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
