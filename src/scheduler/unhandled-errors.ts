import type { Logger } from 'pino';
import { currentExecution } from './execution.js';

/*
 * Unhandled errors of job handlers: a rejection that is not awaited, an error in a callback, an `error` event without a
 * listener. Node.js would end the process; here the error fails the run that it belongs to. Errors outside of runs still
 * end the process.
 */

let watchers = 0;
let log: Logger | null = null;

/** Starts watching. Returns a function that stops it. */
export function watchUnhandledErrors(logger: Logger): () => void {
  log = logger;
  if (watchers++ === 0) {
    process.on('uncaughtException', onException);
    process.on('unhandledRejection', onRejection);
  }
  let watching = true;
  return () => {
    if (!watching) return;
    watching = false;
    if (--watchers > 0) return;
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  };
}

function onException(error: unknown): void {
  if (!failRun(error)) crash(error);
}

function onRejection(reason: unknown): void {
  if (!failRun(reason)) crash(reason);
}

function failRun(thrown: unknown): boolean {
  const execution = currentExecution();
  if (!execution) return false;
  log?.warn({ err: thrown, handler: execution.run.handler }, 'unhandled error in a cron handler');
  execution.fail(thrown);
  execution.abort();
  return true;
}

/** Does what Node.js does by default, unless there are other listeners: prints the error and exits with code 1. */
function crash(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (process.listenerCount('uncaughtException') <= 1) process.exit(1);
}
