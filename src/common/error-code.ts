/**
 * The `code` of anything thrown: an SQLSTATE of PostgreSQL, or a name of Node.js (`ENOENT`) or of S3; empty if it has none.
 * Checks only the shape, because errors from another realm (Node's own, within a test's sandbox) are not `instanceof Error`.
 */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage && typeof error.message === 'string' ? error.message : String(error);
}
