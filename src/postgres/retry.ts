import { codeOf } from '../common/error-code.js';
import { isOutdated } from './error-code.js';

/** Serialization failure and deadlock: PostgreSQL aborted one of several transactions. */
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

/**
 * Runs a transaction or a single statement, and retries it from the start after a serialization failure, after a deadlock,
 * or if a prepared statement was outdated.
 */
export async function withRetries<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const isRetryable = RETRYABLE.has(codeOf(error)) || isOutdated(error);
      if (attempt === MAX_TRIES || !isRetryable) throw error;
    }
  }
}
