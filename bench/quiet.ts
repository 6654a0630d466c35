import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const WINDOW_MS = 1000;
/** The machine is quiet when its processors work for less than this share of a window, all together. */
const MAX_BUSY = 0.1;

/**
 * Waits until the machine has nothing else to do, so that neighbours disturb a round less. What is measured must be idle.
 * @param seconds how long to wait at most; 0: not at all
 * @param say hears when the wait was in vain
 */
export async function waitForQuiet(seconds: number, say: (line: string) => void): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (let busy = 1; busy > MAX_BUSY;) {
    if (performance.now() >= end) {
      const share = Math.round(busy * 100);
      if (seconds > 0)
        say(`The machine is not quiet: ${share} % busy after ${seconds} s. Measuring all the same.`);
      return;
    }
    busy = await busyShare();
  }
}

/** The share of all processors' time that was work, over one window. */
async function busyShare(): Promise<number> {
  const before = times();
  await sleep(WINDOW_MS);
  const after = times();
  return (after.work - before.work) / (after.all - before.all);
}

/** Milliseconds of all processors since the machine's start. */
function times(): { work: number; all: number } {
  let work = 0;
  let idle = 0;
  for (const { times: of } of cpus()) {
    work += of.user + of.nice + of.sys + of.irq;
    idle += of.idle;
  }
  return { work, all: work + idle };
}
