import { isEmail, isURL } from 'class-validator';

/** A format rule of a string prop: `rule` completes the sentence "<prop> must be …". */
export interface Format {
  readonly rule: string;
  /** What migrations know it by; its rule, where it has no name. Another one is another format. */
  readonly name?: string;
  readonly test: (text: string) => boolean;
  /** A text that passes, for the API's description. */
  readonly example?: string;
  /** The name that JSON Schema has for it (2020-12 validation, §7.3), if any. */
  readonly schemaFormat?: 'idn-email' | 'iri';
  /** What every good text matches, as far as a pattern can say it, for the API's description; with the flag `u` and without. */
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

/** Texts that programs take for a path of their own, for no value, or for whoever is logged in. */
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

/** Marks that stand on nothing, five on one letter, or one twice: they draw over what is beside them (UTS #39 §5.4). */
const BAD_MARKS = /(?:^|[._-])\p{M}|[\p{Mn}\p{Me}]{5}|([\p{Mn}\p{Me}])\1/u;

/**
 * A name to log in with: letters, marks, digits, `.`, `_` and `-`, at least one of them a letter or digit; no blanks,
 * nothing invisible, no `@` (which would make it pass for an e-mail address), no word that means something else to
 * programs, and letters of one writing system in everyday use (after UTS #39, "restriction levels": single script), so
 * that an alphabet can't be mixed into another to draw somebody else's name.
 */
export const USERNAME: Format = {
  rule: 'letters of one alphabet, digits, ".", "_" or "-", and not a word such as "null"',
  name: 'username',
  example: 'olive',
  // Of ASCII exactly these. Beyond it anything, since not all readers of patterns know \p.
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
  // Up and down again joins what lower-casing alone keeps apart (ß and ss, final sigma); ẞ needs to go down first.
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}

/** Folding can lengthen a text (one ligature becomes 18 letters); this is the most that is kept. */
export const foldedLength = (length: number) => 2 * length;

/** Unicode code points: the unit of `length`, and of PostgreSQL's varchar(n). */
export function codePoints(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}
