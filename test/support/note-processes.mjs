// Preloaded by `node --import`: writes a line into the file NOTE_PROCESSES for each process that this one starts.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { setImmediate } from 'node:timers';

subscribe('child_process', ({ process: child }) => {
  // Which program it is, is known when it has been started.
  setImmediate(() => appendFileSync(process.env.NOTE_PROCESSES, `${child.spawnargs.join(' ')}\n`));
});
