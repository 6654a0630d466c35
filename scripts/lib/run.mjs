import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ROOT, inRoot } from './paths.mjs';

/** swc unpacks itself into the user's cache: nothing is to be written outside the repository. */
const SETTINGS = { XDG_CACHE_HOME: inRoot('.cache') };

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a Node script in the repository's root with our own input and output, and resolves with its exit code. A signal
 * to us goes on to it, so that nothing is left running.
 */
export function runNode(args, env = process.env, stdio = 'inherit') {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, ...SETTINGS },
      stdio,
    });
    const forward = (signal) => child.kill(signal);
    for (const signal of SIGNALS) process.on(signal, forward);
    const done = () => {
      for (const signal of SIGNALS) process.removeListener(signal, forward);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/**
 * Runs a step that prepares something, and ends this process with its exit code if it fails. What the step says goes to
 * standard error: standard input and output belong to what comes after it.
 */
export async function runNodeOrExit(args, what, env) {
  const code = await runNode(args, env, ['ignore', 2, 2]);
  if (code === 0) return;
  console.error(`${what} failed (exit code ${code}).`);
  process.exit(code);
}
