import { constants, setPriority } from 'node:os';
import { type MediaAnswer, type MediaJob, MediaRefusal } from './media-jobs.js';

/*
 * The media process: everything that parses bytes of strangers happens here, where it can be killed, and with the lowest
 * priority, so that the service goes on answering meanwhile. One job at a time; media-process.ts is at the other end.
 */

// Before the libraries start their threads, which inherit it.
try {
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Some systems don't let a process be that modest.
}

async function answerTo(job: MediaJob): Promise<MediaAnswer> {
  try {
    if (job.op === 'sniff') {
      const { sniff } = await import('./sniff.js');
      return { result: await sniff(job) };
    }
    const { reworkImage } = await import('./image.js');
    return { result: await reworkImage(job) };
  } catch (error) {
    if (error instanceof MediaRefusal) return { fault: error.fault };
    return { error: error instanceof Error ? error.message : 'unknown' };
  }
}

process.on('message', (job: MediaJob) => {
  void answerTo(job).then((answer) => process.send?.(answer));
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the service decides when this process ends.
process.on('SIGINT', () => undefined);
