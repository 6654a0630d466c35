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
 * The media process. All untrusted bytes are parsed here, where it can be killed, with a low priority, so that the service
 * stays responsive. It runs one job at a time; media-process.ts is the other end.
 */

/** How often the processor time and the memory of a job are checked, in milliseconds. */
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
      // The result must not depend on when the checks happen.
      resolve('result' in response && isLong() ? { fault: 'time' } : response);
    });
  });
}

process.on('message', (request: MediaRequest) => {
  void runWithinLimits(request).then((response) =>
    process.send?.({ ...response, rss: process.memoryUsage.rss() }),
  );
});
// The service has died.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the service decides when this process ends.
process.on('SIGINT', () => undefined);
