/**
 * A text that PostgreSQL and JSON can't carry: it has a NUL (no `text` value may) or an unpaired surrogate (no UTF-8).
 * With the `u` flag a proper surrogate pair is one code point of another category, so only unpaired ones match.
 */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Marks in a row: more than any writing has (Unicode Standard Annex 15, §13, Stream-Safe Text Format). */
export const MAX_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');

/**
 * What stands against taking a text at all, as the end of a sentence about what holds it; null for nothing. Marks are
 * bounded because bringing a text into a normal form takes the square of their number.
 */
export function faultOfText(text: string): string | null {
  if (UNSTORABLE.test(text)) return 'a NUL character or half a surrogate pair';
  if (TOO_MANY_MARKS.test(text)) return `more than ${MAX_MARKS} combining marks in a row`;
  return null;
}
