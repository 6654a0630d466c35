/**
 * A text that PostgreSQL or JSON can't represent: it has a NUL (not allowed in `text`) or an unpaired surrogate (not UTF-8).
 * With the `u` flag a proper surrogate pair is one code point of another category, so only unpaired ones match.
 */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Consecutive marks: more than any script uses (Unicode Standard Annex 15, §13, Stream-Safe Text Format). */
export const MAX_MARKS = 30;
/** Marks, and the two letters that compatibility normalization (NFKC, for search) makes marks of: halfwidth kana sounds. */
const MARK = /[\p{M}\uFF9E\uFF9F]/u;
/** Code points below it are no marks. */
const FIRST_MARK = 0x300;
/** Code points above it take two UTF-16 units. */
const LAST_OF_UNIT = 0xffff;
/** Planes 0 and 1, which have all marks of scripts, and few code points enough for a table. */
const TABLE_SIZE = 0x20000;

let table: Uint8Array | undefined;
/** 1 for each code point that is a mark. Built when a text first needs it. */
function tableOfMarks(): Uint8Array {
  if (table) return table;
  table = new Uint8Array(TABLE_SIZE);
  for (let code = FIRST_MARK; code < TABLE_SIZE; code++)
    if (MARK.test(String.fromCodePoint(code))) table[code] = 1;
  return table;
}

const isMark = (code: number): boolean =>
  code < TABLE_SIZE ? tableOfMarks()[code] === 1 : MARK.test(String.fromCodePoint(code));

/** Counts in one pass. An expression such as `\p{M}{31}` would start again at each mark of a row. */
function hasTooManyMarks(text: string): boolean {
  if (text.length <= MAX_MARKS) return false;
  let row = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > LAST_OF_UNIT) at++;
    row = code >= FIRST_MARK && isMark(code) ? row + 1 : 0;
    if (row > MAX_MARKS) return true;
  }
  return false;
}

/**
 * Why a text can't be accepted at all, as the end of a sentence; null if it can. Consecutive marks are limited because
 * normalization takes quadratic time in their number.
 */
export function faultOfText(text: string): string | null {
  if (UNSTORABLE.test(text)) return 'a NUL character or half a surrogate pair';
  if (hasTooManyMarks(text)) return `more than ${MAX_MARKS} combining marks in a row`;
  return null;
}
