import { ApiError } from '../http/errors.js';

/** What stops a command. `message` is one line for the operator, which says how to mend it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What the service refused, in one line with all its faults; null when it was not the service that spoke. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const others = (error.extra.warnings ?? []).map((warning) => warning.message);
  return [error.message, ...others].join(' ');
}
