import type { ChildProcess } from 'node:child_process';
import { stoppedAtTheEnd } from './left-running.js';

/** Where the services that a process starts listen, as it says on standard error; fails with all it said if it ends before. */
export function listening(child: ChildProcess, count = 1): Promise<string[]> {
  const stop = stoppedAtTheEnd(() => Promise.resolve(child.kill('SIGKILL')));
  child.once('close', () => void stop());
  let said = '';
  return new Promise((settle, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const urls = [...said.matchAll(/listens on (\S+)\n/g)].map(([, url]) => url ?? '');
      if (urls.length === count) settle(urls);
    });
    child.once('close', () => reject(new Error(`The service did not start: ${said}`)));
  });
}
