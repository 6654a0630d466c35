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
