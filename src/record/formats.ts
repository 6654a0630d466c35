import { isEmail, isURL } from 'class-validator';

/** A format rule of a string prop: `rule` completes the sentence "<prop> must be …". */
export interface Format {
  readonly rule: string;
  readonly test: (text: string) => boolean;
}

/** An e-mail address (class-validator's isEmail), without characters that can't be seen. */
export const EMAIL: Format = {
  rule: 'an e-mail address',
  test: (text) => isEmail(text) && !/[\p{C}\p{Z}]/u.test(text),
};

/** An absolute http or https URL (class-validator's isURL). It is stored, never fetched. */
export const URL_FORMAT: Format = {
  rule: 'an http or https URL',
  test: (text) => isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false }),
};

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/**
 * A name to log in with: letters, marks, digits, `.`, `_` and `-`; no blanks, nothing invisible, no `@` (which
 * would make it pass for an e-mail address), and letters of one alphabet only, so that no name can be drawn to
 * look like another (after UTS #39, "restriction levels").
 */
export const USERNAME: Format = {
  rule: 'letters of one alphabet, digits, ".", "_" or "-"',
  test: (text) =>
    /^[\p{L}\p{M}\p{Nd}._-]+$/u.test(text.normalize('NFKC')) &&
    SCRIPTS.filter((script) => script.test(text)).length <= 1,
};

/** The form in which texts are the same for `uniqueCaseInsensitive`: NFKC, case folded. */
export function fold(text: string): string {
  // Upper-casing first joins what lower-casing alone keeps apart (ß and ss, ſ and s, final sigma).
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
