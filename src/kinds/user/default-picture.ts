import { createHash } from 'node:crypto';

/** Side of the picture, in pixels; that of an imported avatar. */
const SIDE = 300;
const MAX_INITIALS = 2;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The first letters of the first and the last word, or of a single word. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked
    .slice(0, MAX_INITIALS)
    .map((word) => firstLetter(word ?? ''))
    .join('')
    .toUpperCase();
}

/** The default picture of a user as SVG: initials on a colour that depends on `seed`. */
export function defaultPicture(initials: string, seed: string): string {
  const hue = createHash('sha256').update(seed).digest().readUInt16BE(0) % 360;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 100 100">` +
    `<rect width="100" height="100" fill="hsl(${hue},45%,42%)"/>` +
    `<text x="50" y="50" dy="0.36em" text-anchor="middle" font-family="sans-serif" font-size="42" fill="#fff">` +
    `${escaped(initials)}</text></svg>`
  );
}

/** A text that changes when the picture of the same seed does. */
export function versionOf(initials: string): string {
  return createHash('sha256').update(initials).digest('hex').slice(0, 12);
}

function firstLetter(word: string): string {
  for (const { segment } of graphemes.segment(word)) if (/[\p{L}\p{N}]/u.test(segment)) return segment;
  return '';
}

/** Escapes text for SVG. Only letters, marks and digits get here, but an SVG is a document, so be safe. */
function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
