import { emptyBody, invalid, malformed } from '../common/errors.js';
import { INEXACT, markInexactNumbers } from './exact-numbers.js';
import { checkBounds, parseJson, shown } from './json-text.js';
import { faultOfText } from './text.js';

/** A parsed request body: the members of one JSON object. Own keys may have any name but `__proto__`. */
export type Body = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes); // drops a byte order mark, as RFC 8259 §8.1 allows
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
};

/** An object or array to look into. */
interface Visit {
  readonly value: object;
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
  const open: Visit[] = [];
  const visit = (value: unknown, top: string): void => {
    if (typeof value === 'string') checkText(value, top);
    else if (typeof value === 'object' && value !== null) open.push({ value, top });
  };
  const visitMember = (key: string, value: unknown, top: string): void => {
    if (key === '__proto__') throw malformed('The body has a key named __proto__.');
    checkText(key, top);
    visit(value, top);
  };
  for (const [key, value] of Object.entries(body)) visitMember(key, value, key);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, top } = next;
    if (Array.isArray(value)) for (const element of value) visit(element, top);
    else for (const [key, member] of Object.entries(value)) visitMember(key, member, top);
  }
};

/**
 * Reads a JSON request body (RFC 8259). Of duplicate keys the last one counts.
 * @throws ApiError 400 unless it is well-formed UTF-8 and JSON, an object, and free of NULs, unpaired surrogates, endless
 *   marks and `__proto__` keys, within the bounds of {@link checkBounds}; 441 when it is empty; 442 for a
 *   number that can't be kept as it was sent.
 */
export function parseBody(bytes: Uint8Array): Body {
  if (bytes.length === 0) throw emptyBody();
  const text = decode(bytes);
  checkBounds(text);
  let body = parseJson(text);
  const marked = markInexactNumbers(text);
  if (marked !== text) body = parseJson(marked);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw malformed('The body must be a JSON object.');
  }
  check(body);
  return body as Body;
}
