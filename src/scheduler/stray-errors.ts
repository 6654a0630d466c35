import type { Logger } from 'pino';
import { currentExecution } from './execution.js';

/*
 * What a handler lets fly: a rejection that nobody awaits, an error in a callback, an `error` event that nobody hears.
 * Node would end the process; here it fails the run that it belongs to. What belongs to no run ends the process as ever.
 */

let watchers = 0;
let log: Logger | null = null;

/** Begins to watch; returns what ends it. */
export function watchStrayErrors(logger: Logger): () => void {
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
  if (!failRun(error)) die(error);
}

function onRejection(reason: unknown): void {
  if (!failRun(reason)) die(reason);
}

function failRun(thrown: unknown): boolean {
  const execution = currentExecution();
  if (!execution) return false;
  log?.warn({ err: thrown, handler: execution.run.handler }, 'a handler let an error fly');
  execution.fail(thrown);
  execution.abort();
  return true;
}

/** As Node does without us: the error on standard error, exit code 1; but where somebody else listens, it is theirs. */
function die(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (process.listenerCount('uncaughtException') <= 1) process.exit(1);
}
