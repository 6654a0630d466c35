import { reworkImage } from './image.js';
import {
  type MediaResponse,
  type MediaJob,
  MediaRefusal,
  type MediaRequest,
  MAX_MEMORY_BYTES,
} from './media-jobs.js';
import { sniff } from './sniff.js';

/*
 * The media process: everything that parses bytes of strangers happens here, where it can be killed, and with the lowest
 * priority, so that the service goes on answering meanwhile. One job at a time; media-process.ts is at the other end.
 */

/** Milliseconds between two looks at the processor time and the memory of a job. */
const POLL_MS = 100;

async function run(job: MediaJob): Promise<MediaResponse> {
  try {
    return { result: await (job.op === 'sniff' ? sniff(job) : reworkImage(job)) };
  } catch (error) {
    if (error instanceof MediaRefusal) return { fault: error.fault };
    return { error: error instanceof Error ? error.message : 'unknown' };
  }
}

/** Pictures are decoded by threads, so this timer goes on meanwhile. */
function runWithinLimits({ job, cpuMs }: MediaRequest): Promise<MediaResponse> {
  const begin = process.cpuUsage();
  const isLong = () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000 > cpuMs;
  };
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isLong()) resolve({ fault: 'time' });
      else if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) resolve({ fault: 'memory' });
    }, POLL_MS);
    void run(job).then((response) => {
      clearInterval(timer);
      // Whether a job between two looks is refused must not depend on when they are.
      resolve('result' in response && isLong() ? { fault: 'time' } : response);
    });
  });
}

process.on('message', (request: MediaRequest) => {
  void runWithinLimits(request).then((response) =>
    process.send?.({ ...response, rss: process.memoryUsage.rss() }),
  );
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the service decides when this process ends.
process.on('SIGINT', () => undefined);
