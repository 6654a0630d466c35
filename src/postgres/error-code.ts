import { codeOf, messageOf } from '../common/error-code.js';
import { ruleOf } from './sql-states.js';

/** Whether the client has given up waiting for a statement. PostgreSQL may still work on it. */
export function isAbandoned(error: unknown): boolean {
  return messageOf(error).startsWith('Query read timeout');
}

/** Whether the connection timed out, broke, or became unusable by an error of PostgreSQL (sql-states.ts). */
export function isConnectionError(error: unknown): boolean {
  return (
    isAbandoned(error) ||
    /^(Connection terminated|Client has encountered a connection error)/.test(messageOf(error)) ||
    ruleOf(codeOf(error))?.drop === true ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(codeOf(error))
  );
}

/**
 * Whether PostgreSQL refused the statement itself (data, constraints, conflicts, limits). Nothing of it is stored.
 */
export function isRefusal(error: unknown): boolean {
  return ruleOf(codeOf(error))?.refused === true;
}

/**
 * Whether PostgreSQL cancelled the statement after a timeout (57014 statement timeout, 55P03 lock timeout, 25P04
 * transaction timeout). Nothing of it is stored.
 */
export function isTimeout(error: unknown): boolean {
  return ruleOf(codeOf(error))?.error === 'tooSlow';
}

/** A connection has no prepared statement of that name. */
export const UNKNOWN_STATEMENT = '26000';

/**
 * Whether a prepared statement is outdated (a migration changed its columns) or missing. Nothing of the statement has run.
 */
export function isOutdated(error: unknown): boolean {
  const code = codeOf(error);
  // The code 0A000 has many reasons. The routine, a name from PostgreSQL's sources, tells them apart.
  const isChanged = code === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';
  return isChanged || code === UNKNOWN_STATEMENT;
}
