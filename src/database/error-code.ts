/** The `code` of whatever was thrown: an SQLSTATE from PostgreSQL, a name from Node.js; empty when it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
