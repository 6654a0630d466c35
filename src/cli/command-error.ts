import { StartupError } from '../common/startup-error.js';
import { ApiError } from '../common/errors.js';

/** The failure of a command. `message` is one line for the operator that says how to fix it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The message of an error of the service, in one line with all its issues; null for other errors. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const others = (error.extra.warnings ?? []).map((warning) => warning.message);
  return [error.message, ...others].join(' ');
}

/** The output for an error that ended a command: one line, or the stack of an unexpected error. */
export function faultOf(error: unknown): string {
  if (error instanceof StartupError || error instanceof CommandError) return error.message;
  return reasonOf(error) ?? String(error instanceof Error ? error.stack : error);
}
