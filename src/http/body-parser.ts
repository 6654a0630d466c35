import { emptyBody, invalid, malformed } from '../common/errors.js';
import { INEXACT, markInexactNumbers } from './exact-numbers.js';
import { faultOfText } from './text.js';

/** A parsed request body: the members of one JSON object. Own keys may have any name but `__proto__`. */
export type Body = Record<string, unknown>;

/** Objects and arrays inside each other; the outermost object is 1. */
export const MAX_DEPTH = 32;

/** Members and elements of all objects and arrays of a body together. */
export const MAX_NODES = 20_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes); // drops a byte order mark, as RFC 8259 §8.1 allows
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.'); // the parser's own message quotes the body
  }
};

/** A key as a message may repeat it: short and well-formed. */
const shown = (key: string): string => key.slice(0, 60).replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD');

interface Visit {
  readonly value: unknown;
  readonly depth: number;
  /** The top-level key that the value stands under. */
  readonly top: string;
}

const checkText = (text: string, top: string): void => {
  if (text === INEXACT)
    throw invalid(shown(top), `${shown(top)} holds a number with more digits than can be kept.`);
  const fault = faultOfText(text);
  if (fault !== null) throw malformed(`${shown(top)} holds ${fault}.`);
};

/** One pass over every key and value, without recursion. */
const check = (body: object): void => {
  const open: Visit[] = [{ value: body, depth: 0, top: '' }];
  let nodes = 0;
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, top } = visit;
    if (typeof value === 'string') checkText(value, top);
    if (typeof value !== 'object' || value === null) continue;
    const depth = visit.depth + 1;
    if (depth > MAX_DEPTH) throw malformed(`${shown(top)} is nested deeper than ${MAX_DEPTH} levels.`);
    const named = !Array.isArray(value);
    for (const [key, child] of Object.entries(value)) {
      if (++nodes > MAX_NODES) throw malformed(`The body has more than ${MAX_NODES} members.`);
      const under = depth === 1 ? key : top;
      if (named) {
        if (key === '__proto__') throw malformed('The body has a key named __proto__.');
        checkText(key, under);
      }
      open.push({ value: child, depth, top: under });
    }
  }
};

/**
 * Reads a JSON request body (RFC 8259). Of duplicate keys the last one counts.
 * @throws ApiError 400 unless it is well-formed UTF-8 and JSON, an object, and free of NULs, unpaired surrogates, endless
 *   marks and `__proto__` keys, within {@link MAX_DEPTH} and {@link MAX_NODES}; 441 when it is empty; 442 for a
 *   number that can't be kept as it was sent.
 */
export function parseBody(bytes: Uint8Array): Body {
  if (bytes.length === 0) throw emptyBody();
  const text = decode(bytes);
  let body = parse(text);
  const marked = markInexactNumbers(text);
  if (marked !== text) body = parse(marked);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw malformed('The body must be a JSON object.');
  }
  check(body);
  return body as Body;
}
