import { clearInterval, setInterval } from 'node:timers';

/**
 * npm runs a script through a shell. A SIGTERM to npm ends that shell, which passes nothing on, and would leave us
 * running unseen. So when the shell is gone we take the signal as meant for us. To be called once, at the start.
 */
export function followParent() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
