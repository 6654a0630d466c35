import { spawn } from 'node:child_process';

/** Characters of output that are kept: its end says what went wrong. */
const KEPT = 20_000;

/**
 * Runs a Node script, and resolves with `{code, output, timedOut}`: its exit code, the end of what it said, and whether it
 * was killed after `timeoutMs` milliseconds. It and its children go with us when we are ended.
 */
export function runProcess(args, { cwd, env = process.env, timeoutMs = 2 ** 31 - 1 }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let timedOut = false;
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (output = (output + chunk).slice(-KEPT)));
    }
    process.on('exit', kill);
    const onSignal = () => process.exit(1);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', kill);
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
      resolve({ code, output, timedOut });
    });
  });
}
