/**
 * The error catalogue: every failure that a client can meet is made here, and nowhere else.
 * `docs/errors.md` lists the same rows; a test compares the two.
 */

/** A remark that did not stop the request; stands in the top-level `warnings` of an answer. */
export interface Warning {
  code: number;
  message: string;
  data: unknown;
}

/** The documented rows: name → HTTP status and `error.code`. They differ for three finer codes only. */
export const CATALOGUE = {
  malformed: { status: 400, code: 400 },
  loginNeeded: { status: 401, code: 401 },
  loginFailed: { status: 401, code: 454 },
  forbidden: { status: 403, code: 403 },
  notFound: { status: 404, code: 404 },
  methodNotAllowed: { status: 405, code: 405 },
  conflict: { status: 409, code: 409 },
  preconditionFailed: { status: 412, code: 412 },
  tooLarge: { status: 413, code: 413 },
  urlTooLong: { status: 414, code: 414 },
  unsupportedType: { status: 415, code: 415 },
  rangeNotSatisfiable: { status: 416, code: 416 },
  missing: { status: 422, code: 441 },
  invalid: { status: 422, code: 442 },
  tooMany: { status: 429, code: 429 },
  headersTooLarge: { status: 431, code: 431 },
  internal: { status: 500, code: 500 },
  badGateway: { status: 502, code: 502 },
  unavailable: { status: 503, code: 503 },
  tooSlow: { status: 504, code: 504 },
} as const satisfies Record<string, { status: number; code: number }>;

export type ErrorName = keyof typeof CATALOGUE;

/**
 * A failure with an answer: thrown anywhere, turned into `{error: {code, message, data}}` by the error filter.
 * `message` is for people and names the prop and the rule; it never holds SQL, paths, constraint names or
 * values of other users. `data` is what the catalogue says for the row.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(
    readonly kind: ErrorName,
    message: string,
    readonly data: unknown = null,
    readonly extra: { warnings?: Warning[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = 'ApiError';
    this.status = CATALOGUE[kind].status;
    this.code = CATALOGUE[kind].code;
  }
}

/** 400: the request itself can't be read: JSON, URL, NUL or an unpaired surrogate in a text. */
export const malformed = (message: string) => new ApiError('malformed', message);

/** 401: there is no session and the operation needs one, or the session id is invalid or expired. */
export const loginNeeded = (message = 'Log in first: this needs a session.') =>
  new ApiError('loginNeeded', message);

/** 401 / 454: one answer whatever was wrong with the credentials. */
export const loginFailed = () => new ApiError('loginFailed', 'Login failed: the credentials are not valid.');

/** 403: the caller is known and may not do this; `data` names the prop, where there is one. */
export const forbidden = (message: string, prop: string | null = null) =>
  new ApiError('forbidden', message, prop);

/** 404: no such route or record, or none that the caller may see. */
export const notFound = (message = 'There is nothing here.') => new ApiError('notFound', message);

/** 405: the path exists, the method does not. `allow`: the methods that do. */
export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError('methodNotAllowed', `This path answers ${allow.join(', ')}.`, null, {
    headers: { allow: allow.join(', ') },
  });

/** 409: a unique value is taken, or the state of the record forbids the change. */
export const conflict = (message: string, prop: string | null = null) =>
  new ApiError('conflict', message, prop);

/** 412: the record is no longer the version that `If-Match` names. */
export const preconditionFailed = () =>
  new ApiError(
    'preconditionFailed',
    'The record has changed since the version that If-Match names. Read it again.',
  );

/** 413: the body is larger than `limit` bytes. */
export const tooLarge = (limit: number) =>
  new ApiError('tooLarge', `The body is larger than ${limit} bytes.`, limit);

/** 413: a declared file is larger than `limit` bytes. */
export const fileTooLarge = (limit: number) =>
  new ApiError('tooLarge', `sizeInBytes may be at most ${limit} for this file.`, limit);

/** 414: the URL is longer than `limit` characters. */
export const urlTooLong = (limit: number) =>
  new ApiError('urlTooLong', `The URL is longer than ${limit} characters.`, null);

/** 415: the content type is not exactly application/json, or a file is not of an accepted type. */
export const unsupportedType = (message: string, prop: string | null = null) =>
  new ApiError('unsupportedType', message, prop);

/** 416: the `Range` header asks for bytes that a file of `size` bytes does not have. */
export const rangeNotSatisfiable = (size: number) =>
  new ApiError('rangeNotSatisfiable', 'The range is not in the file.', null, {
    headers: { 'content-range': `bytes */${size}` },
  });

/** 422 / 441: a required value is missing, empty or null. */
export const missing = (prop: string, message = `${prop} is required.`) =>
  new ApiError('missing', message, prop);

/** 422 / 441: the whole body is missing, so there is no prop to name. */
export const emptyBody = () => new ApiError('missing', 'The body is empty: a JSON object is required.');

/** 422 / 442: a value is out of range, of the wrong type, too long, not in the list or of the wrong format. */
export const invalid = (prop: string, message: string) => new ApiError('invalid', message, prop);

/** 429: too many tries; `seconds` until the next one may be made. */
export const tooMany = (seconds: number) =>
  new ApiError('tooMany', `Too many tries. Wait ${seconds} s.`, seconds, {
    headers: { 'retry-after': String(seconds) },
  });

/** 431: the request's headers are larger than the server reads. */
export const headersTooLarge = () => new ApiError('headersTooLarge', 'The request headers are too large.');

/** 500: anything else. No detail leaves the service; the request id finds it in the log. */
export const internal = (requestId: string | null) =>
  new ApiError('internal', 'Something went wrong here. The log has it under this request id.', requestId);

/** 503: the database or the storage can't be reached now, or the service is overloaded. */
export const unavailable = (
  message = 'The service can’t reach its database now. Try again shortly.',
  cause?: unknown,
) => new ApiError('unavailable', message, null, { headers: { 'retry-after': '2' }, cause });

/** 503: the storage of the files can't be reached now. */
export const storageUnavailable = (cause?: unknown) =>
  unavailable('The service can’t reach its file storage now. Try again shortly.', cause);

/** 504: the database took longer than a statement may. */
export const tooSlow = (cause?: unknown) =>
  new ApiError('tooSlow', 'The database took too long for this request. Narrow it down.', null, { cause });
