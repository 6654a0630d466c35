import type { Warning } from '../common/errors.js';

/** The maximum number of warnings in a response. */
export const MAX_WARNINGS = 50;

/** The maximum length of a repeated name. */
const MAX_CHARACTERS = 120;

/**
 * The first {@link MAX_WARNINGS} warnings, with names from the request cut short, so that warnings don't make a response
 * large.
 */
export function boundedWarnings(warnings: readonly Warning[]): readonly Warning[] {
  if (!warnings.length) return warnings;
  return warnings.slice(0, MAX_WARNINGS).map(({ code, message, data }) => ({
    code,
    message: short(message, 2 * MAX_CHARACTERS),
    data: typeof data === 'string' ? short(data, MAX_CHARACTERS) : data,
  }));
}

/** Never half a surrogate pair. */
function short(text: string, max: number): string {
  if (text.length <= max) return text;
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(max - 2));
  return `${text.slice(0, isPair ? max - 2 : max - 1)}…`;
}
