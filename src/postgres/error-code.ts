import { ruleOf } from './sql-states.js';

/** The `code` of whatever was thrown: an SQLSTATE from PostgreSQL, a name from Node.js; empty when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The connection timed out or broke, or PostgreSQL says what makes it useless (sql-states.ts). */
export function isConnectionError(error: unknown): boolean {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return (
    /^(Query read timeout|Connection terminated|Client has encountered a connection error)/.test(message) ||
    ruleOf(codeOf(error))?.drop === true ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(codeOf(error))
  );
}

/**
 * PostgreSQL did not accept what a statement says (data, constraints, conflicts with others, limits): nothing of it is
 * stored.
 */
export function isRefusal(error: unknown): boolean {
  return ruleOf(codeOf(error))?.refused === true;
}

/**
 * PostgreSQL gave a statement up that took too long (57014 statement timeout, 55P03 lock timeout, 25P04 transaction
 * timeout): nothing of it is stored.
 */
export function isTimeout(error: unknown): boolean {
  return ruleOf(codeOf(error))?.error === 'tooSlow';
}

/** A connection has no prepared statement of that name. */
export const UNKNOWN_STATEMENT = '26000';

/**
 * What a connection has prepared is no use any more (it would answer other columns, since a migration has changed them), or
 * is not there: nothing of the statement has run.
 */
export function isOutdated(error: unknown): boolean {
  const code = codeOf(error);
  // That code has many reasons; who said it is told by a name from PostgreSQL's sources.
  const isChanged = code === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';
  return isChanged || code === UNKNOWN_STATEMENT;
}
