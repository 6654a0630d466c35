/** The `code` of whatever was thrown: an SQLSTATE from PostgreSQL, a name from Node.js; empty when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Without an SQLSTATE it was not PostgreSQL that spoke: the connection timed out or broke. */
export function isConnectionError(error: unknown): boolean {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  return (
    /^(Query read timeout|Connection terminated|Client has encountered a connection error)/.test(message) ||
    /^(08|57P0)/.test(codeOf(error)) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(codeOf(error))
  );
}

/**
 * PostgreSQL did not accept what a statement says (data, constraints, conflicts with others, limits): nothing of it is
 * stored.
 */
export function isRefusal(error: unknown): boolean {
  return /^(2[0-9A-Z]|40|44|54|P0)/.test(codeOf(error));
}

/**
 * PostgreSQL gave a statement up that took too long (57014 statement timeout, 55P03 lock timeout, 25P04 transaction
 * timeout): nothing of it is stored.
 */
export function isTimeout(error: unknown): boolean {
  return /^(57014|55P03|25P04)$/.test(codeOf(error));
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
