import { StartupError } from '../common/startup-error.js';
import { ApiError } from '../common/errors.js';

/** What stops a command. `message` is one line for the operator, which says how to fix it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What the service refused, in one line with all its faults; null when it was not the service that spoke. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const others = (error.extra.warnings ?? []).map((warning) => warning.message);
  return [error.message, ...others].join(' ');
}

/** What the operator reads of an error that ended a command: a line, or the stack of what nobody thought of. */
export function faultOf(error: unknown): string {
  if (error instanceof StartupError || error instanceof CommandError) return error.message;
  return reasonOf(error) ?? String(error instanceof Error ? error.stack : error);
}
