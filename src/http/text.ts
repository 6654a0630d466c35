/**
 * A text that PostgreSQL or JSON can't represent: it has a NUL (not allowed in `text`) or an unpaired surrogate (not UTF-8).
 * With the `u` flag a proper surrogate pair is one code point of another category, so only unpaired ones match.
 */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Consecutive marks: more than any script uses (Unicode Standard Annex 15, §13, Stream-Safe Text Format). */
export const MAX_MARKS = 30;
/** Marks, and the two letters that compatibility normalization (NFKC, for search) makes marks of: halfwidth kana sounds. */
const MARK = '[\\p{M}\\uFF9E\\uFF9F]';
const TOO_MANY_MARKS = new RegExp(`${MARK}{${MAX_MARKS + 1}}`, 'u');

/**
 * Why a text can't be accepted at all, as the end of a sentence; null if it can. Consecutive marks are limited because
 * normalization takes quadratic time in their number.
 */
export function faultOfText(text: string): string | null {
  if (UNSTORABLE.test(text)) return 'a NUL character or half a surrogate pair';
  if (TOO_MANY_MARKS.test(text)) return `more than ${MAX_MARKS} combining marks in a row`;
  return null;
}
