import { isEmail, isURL } from 'class-validator';

/** A format rule of a string prop: `rule` completes the sentence "<prop> must be …". */
export interface Format {
  readonly rule: string;
  /** Its name in migrations, by default its rule. A changed name counts as another format. */
  readonly name?: string;
  readonly test: (text: string) => boolean;
  /** A text that passes, for the API's description. */
  readonly example?: string;
  /** The name that JSON Schema has for it (2020-12 validation, §7.3), if any. */
  readonly schemaFormat?: 'idn-email' | 'iri';
  /** A pattern that every valid text matches, with and without the flag `u`, for the API's description. */
  readonly pattern?: string;
}

/** Control, format and unassigned characters, and those that are drawn as nothing (fillers, joiners, selectors). */
export const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** An e-mail address (class-validator's isEmail), without blanks and characters that can't be seen. */
export const EMAIL: Format = {
  rule: 'an e-mail address',
  name: 'email',
  example: 'olive@example.com',
  schemaFormat: 'idn-email',
  test: (text) => isEmail(text) && !INVISIBLE.test(text) && !/\p{Z}/u.test(text),
};

/** An absolute http or https URL (class-validator's isURL) that has one reading. It is stored, never fetched. */
export const URL_FORMAT: Format = {
  rule: 'an http or https URL',
  name: 'url',
  example: 'https://example.com/page',
  schemaFormat: 'iri',
  test: (text) =>
    /^https?:\/\//i.test(text) &&
    !text.includes('\\') &&
    !INVISIBLE.test(text) &&
    isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false }),
};

/** The scripts in everyday use (UAX #31, table 5), those that one language writes together in one list. */
const WRITING_SYSTEMS: readonly (readonly string[])[] = [
  ['Latin'],
  ['Greek'],
  ['Cyrillic'],
  ['Armenian'],
  ['Hebrew'],
  ['Arabic'],
  ['Thaana'],
  ['Devanagari'],
  ['Bengali'],
  ['Gurmukhi'],
  ['Gujarati'],
  ['Oriya'],
  ['Tamil'],
  ['Telugu'],
  ['Kannada'],
  ['Malayalam'],
  ['Sinhala'],
  ['Thai'],
  ['Lao'],
  ['Tibetan'],
  ['Myanmar'],
  ['Georgian'],
  ['Ethiopic'],
  ['Khmer'],
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
  ['Han', 'Bopomofo'],
];
const ONE_SYSTEM = WRITING_SYSTEMS.map((scripts) => {
  const classes = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{Script=${script}}`);
  return new RegExp(`^[${classes.join('')}]*$`, 'u');
});

/** Texts that programs may take for a path, a missing value or the current user. */
const MISLEADING_NAMES = new Set(
  [
    'null',
    'undefined',
    'nan',
    'true',
    'false',
    'me',
    'self',
    'whoami',
    'options',
    'anonymous',
    'public',
  ].concat(['users', 'sessions', 'import-avatar', 'avatar-image']),
);

/** Marks without a letter, five on one letter, or a repeated one: they overlap their neighbours (UTS #39 §5.4). */
const BAD_MARKS = /(?:^|[._-])\p{M}|[\p{Mn}\p{Me}]{5}|([\p{Mn}\p{Me}])\1/u;

/**
 * A name to log in with: letters, marks, digits, `.`, `_` and `-`, with at least one letter or digit. No blanks, no
 * invisible characters, no `@` (which would look like an e-mail address), no word with a meaning for programs. All letters
 * are of one writing system in everyday use (UTS #39, "restriction levels": single script), so that a mix of alphabets
 * can't imitate somebody else's name.
 */
export const USERNAME: Format = {
  rule: 'letters of one alphabet, digits, ".", "_" or "-", and not a word such as "null"',
  name: 'username',
  example: 'olive',
  // Exactly these ASCII characters, and any others, because not all regular expression engines know \p.
  pattern: '^[^\\u0000-,/:-@\\[-\\^`{-\\u007f]+$',
  test: (text) => {
    const plain = text.normalize('NFKC');
    const drawn = /^[\p{L}\p{M}\p{Nd}._-]+$/u.test(plain) && !INVISIBLE.test(text) && !INVISIBLE.test(plain);
    const named = /[\p{L}\p{Nd}]/u.test(plain) && !MISLEADING_NAMES.has(fold(text));
    return (
      drawn && named && !BAD_MARKS.test(plain.normalize('NFD')) && ONE_SYSTEM.some((one) => one.test(plain))
    );
  },
};

/** The form in which texts are the same for `uniqueCaseInsensitive`: NFKC, case folded. */
export function fold(text: string): string {
  // Upper and lower case again merges what lower case alone keeps apart (ß and ss, final sigma). ẞ needs lower case first.
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** Folding can lengthen a text (one ligature becomes 18 letters). This is the maximum that is stored. */
export const foldedLength = (length: number) => 2 * length;

/** Unicode code points: the unit of `length`, and of PostgreSQL's varchar(n). */
export function codePoints(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}
