import { Logger } from '@nestjs/common';
import { type ApiError, unavailable } from '../common/errors.js';
import { Throttle } from '../common/throttle.js';
import { codeOf } from '../common/error-code.js';

const TOO_MANY_CONNECTIONS = '53300';
/** Milliseconds between two log lines about a full server. */
const QUIET_MS = 10_000;

const log = new Logger('Database');
const throttle = new Throttle(QUIET_MS);

/** The 503 for a failed connection. Logs now and then that the server has no free connections, if that is the reason. */
export function databaseUnavailable(cause: unknown): ApiError {
  if (codeOf(cause) === TOO_MANY_CONNECTIONS && throttle.take()) {
    log.warn(
      'PostgreSQL takes no more connections: raise its max_connections, or lower DATABASE_CONNECTIONS of all that use it.',
    );
  }
  return unavailable(undefined, cause);
}
