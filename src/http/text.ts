/**
 * A text that PostgreSQL and JSON can't carry: it has a NUL (no `text` value may) or an unpaired surrogate (no UTF-8).
 * With the `u` flag a proper surrogate pair is one code point of another category, so only unpaired ones match.
 */
export const UNSTORABLE = /\0|\p{Surrogate}/u;
