import { ApiError, malformed } from '../common/errors.js';
import { faultOfText } from './text.js';

/** The query parameters of a request: name → its values in the order sent. A Map, so no name is special. */
export type QueryParams = ReadonlyMap<string, readonly string[]>;

/** Parameters in one query string; more is 400. More than the limits of a list (LIST_LIMITS). */
export const MAX_PARAMETERS = 150;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string is not percent-encoded UTF-8.');
  }
};

const decode = (text: string): string => {
  const plain = decoded(text);
  const fault = faultOfText(plain);
  if (fault !== null) throw malformed(`The query string holds ${fault}.`);
  return plain;
};

/**
 * Parses a query string by the rules of application/x-www-form-urlencoded (WHATWG URL, §5.1), but strictly: it refuses
 * what the standard would turn into a replacement character.
 * @param raw the part after the `?`
 * @throws ApiError 400 on malformed percent-encoding, invalid UTF-8, NUL, or more than {@link MAX_PARAMETERS} parameters
 */
export function parseQuery(raw: string): QueryParams {
  const query = new Map<string, string[]>();
  let count = 0;
  for (let start = 0; start < raw.length;) {
    const end = raw.indexOf('&', start);
    const pair = raw.slice(start, end === -1 ? raw.length : end);
    start = end === -1 ? raw.length : end + 1;
    if (pair === '') continue;
    if (++count > MAX_PARAMETERS)
      throw malformed(`The query string has more than ${MAX_PARAMETERS} parameters.`);
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

const NONE: QueryParams = new Map();

/**
 * {@link parseQuery} for Fastify's router, where a throw would end the process: a malformed query comes back as the
 * error itself, and the hook in `request-checks.ts` refuses the request with it.
 */
export function routerQuery(raw: string): QueryParams | ApiError {
  if (raw === '') return NONE;
  try {
    return parseQuery(raw);
  } catch (error) {
    return error instanceof ApiError ? error : malformed('The query string can’t be read.');
  }
}
