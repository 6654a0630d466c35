import { Logger } from '@nestjs/common';
import { messageOf } from '../common/error-code.js';
import { Throttle } from '../common/throttle.js';
import { withTimeout } from '../common/with-timeout.js';

/** Milliseconds between two log lines about one of them. */
const QUIET_MS = 60_000;

const log = new Logger('Database');
const throttles = new Map<string, Throttle>();

/**
 * Waits for a write without which a request succeeds too: in a database that is read-only or locked, for example. A failure
 * is logged, now and then, because it may also be a fault that must be fixed.
 * @param what for the log: `a session was not extended`
 * @returns null if the write failed or takes longer than `ms`
 */
export async function optionalWrite<T>(what: string, ms: number, write: Promise<T>): Promise<T | null> {
  const reported = write.catch((error: unknown) => {
    const throttle = throttles.get(what) ?? new Throttle(QUIET_MS);
    throttles.set(what, throttle);
    if (throttle.take()) log.warn(`${what}: ${messageOf(error)}`);
    return null;
  });
  return withTimeout(ms, reported, null);
}
