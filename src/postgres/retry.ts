import { codeOf, isOutdated } from './error-code.js';

/** PostgreSQL gave up one of two transactions that waited for each other, or that could not be put in order. */
const WORTH_RETRYING = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

/**
 * Runs a transaction or a single statement, and again from the start when PostgreSQL gave it up for another one's sake, or
 * because what was prepared for it is outdated.
 */
export async function retrying<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const isWorthIt = WORTH_RETRYING.has(codeOf(error)) || isOutdated(error);
      if (attempt === MAX_TRIES || !isWorthIt) throw error;
    }
  }
}
