import { malformed } from '../common/errors.js';

/** Objects and arrays inside each other; the outermost object is 1. */
export const MAX_DEPTH = 32;

/** Members and elements of all objects and arrays of a body together. */
export const MAX_NODES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The end of the JSON string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** A key as a message may repeat it: short and well-formed. */
export const shown = (key: string): string => key.slice(0, 60).replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD');

/** Parses JSON. @throws ApiError 400 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.'); // the parser's own message quotes the body
  }
}

/** @param keyAt where the top-level key above the value begins, or -1 */
const tooDeep = (text: string, keyAt: number) => {
  const key = keyAt < 0 ? 'The body' : String(parseJson(text.slice(keyAt, endOfString(text, keyAt))));
  return malformed(`${shown(key)} is nested deeper than ${MAX_DEPTH} levels.`);
};

/**
 * Counts depth and members of JSON text, in one pass that keeps nothing. Call it before parsing: parsed values of a MiB
 * can take a hundred times the memory and the time of the text. Text that is not JSON is counted as far as it resembles it.
 * @throws ApiError 400 beyond {@link MAX_DEPTH} or {@link MAX_NODES}
 */
export function checkBounds(text: string): void {
  let depth = 0;
  let nodes = 0;
  let keyAt = -1;
  let hasJustOpened = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const closes = code === CLOSE_ARRAY || code === CLOSE_OBJECT;
    // Between n members are n - 1 commas; the first one follows the bracket.
    if (code === COMMA || (hasJustOpened && !closes)) nodes++;
    if (nodes > MAX_NODES) throw malformed(`The body has more than ${MAX_NODES} members.`);
    hasJustOpened = code === OPEN_ARRAY || code === OPEN_OBJECT;
    if (hasJustOpened && ++depth > MAX_DEPTH) throw tooDeep(text, keyAt);
    if (closes) depth--;
    if (code === QUOTE) {
      if (depth === 1) keyAt = at;
      at = endOfString(text, at) - 1;
    }
  }
}
