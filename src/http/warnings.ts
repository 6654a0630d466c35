import type { Warning } from '../common/errors.js';

/** Beyond it an answer's warnings say nothing new. */
export const MAX_WARNINGS = 50;

/** Characters of a name that an answer repeats. */
const MAX_CHARACTERS = 120;

/**
 * The warnings of an answer, as far as they are worth it: the first {@link MAX_WARNINGS}, with names that callers sent cut
 * short, so that an answer is not larger than what it is about.
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
function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(most - 2));
  return `${text.slice(0, isPair ? most - 2 : most - 1)}…`;
}
