/**
 * The code of a caught system or database error (ENOENT, 28P01 …), or undefined. Checks only the shape, because errors from
 * another realm (Node's own, within a test's sandbox) are not `instanceof Error`.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a caught value is an error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

/** The message of a caught value. */
export function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage && typeof error.message === 'string' ? error.message : String(error);
}

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
