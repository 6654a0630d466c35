/**
 * The error catalogue: create the errors of the service here. Your own routes may also throw Nest's exceptions.
 * `docs/errors.md` lists the same rows; a test compares the two.
 */

/** A remark that did not stop the request. It appears in the top-level `warnings` of a response. */
export interface Warning {
  code: number;
  message: string;
  data: unknown;
}

/** One row of the catalogue, as docs/errors.md lists it. */
export interface CatalogueRow {
  readonly status: number;
  readonly code: number;
  readonly when: string;
  /** What `error.data` holds, in words and as JSON types. */
  readonly data: { readonly text: string; readonly types: readonly ('string' | 'integer' | 'null')[] };
}

const NOTHING = { text: 'null', types: ['null'] } as const;
const PROP = { text: 'prop, or null', types: ['string', 'null'] } as const;
const PROP_OR_BODY = { text: 'prop; null if the whole body is empty', types: ['string', 'null'] } as const;
const NAME = { text: 'prop, or parameter', types: ['string'] } as const;
const BYTES = { text: 'the limit, in bytes', types: ['integer'] } as const;
const SECONDS = { text: 'seconds to wait', types: ['integer'] } as const;
const REQUEST_ID = { text: 'request id', types: ['string', 'null'] } as const;

/** The documented rows: name → HTTP status and `error.code`. These two differ for three codes only. */
export const CATALOGUE = {
  malformed: {
    status: 400,
    code: 400,
    when: "The request can't be read: framing, URL, query, JSON, or a text with a NUL, half a surrogate pair or more than 30 combining marks in a row; or the body is not a JSON object",
    data: NOTHING,
  },
  loginNeeded: {
    status: 401,
    code: 401,
    when: 'The operation needs a session; or the session id is invalid or expired, and the cookie is cleared; or there are several session cookies, and none is cleared',
    data: NOTHING,
  },
  loginFailed: {
    status: 401,
    code: 454,
    when: 'The login failed; the answer is the same, whatever was wrong',
    data: NOTHING,
  },
  forbidden: {
    status: 403,
    code: 403,
    when: 'The caller may not do this, or may never see the prop in the filter or sort',
    data: PROP,
  },
  notFound: {
    status: 404,
    code: 404,
    when: 'The path or record does not exist, or the caller may not see it',
    data: NOTHING,
  },
  methodNotAllowed: {
    status: 405,
    code: 405,
    when: 'The path exists, the method does not; `Allow` lists those that do',
    data: NOTHING,
  },
  conflict: {
    status: 409,
    code: 409,
    when: 'A unique value is taken, the state of the record forbids the change, or a limit on the number of records is reached',
    data: PROP,
  },
  preconditionFailed: {
    status: 412,
    code: 412,
    when: 'The version of the record is not one that `If-Match` names, or is one that `If-None-Match` names',
    data: NOTHING,
  },
  tooLarge: {
    status: 413,
    code: 413,
    when: 'The body, or the declared file, is too large',
    data: BYTES,
  },
  urlTooLong: {
    status: 414,
    code: 414,
    when: 'The URL is longer than 8192 characters',
    data: NOTHING,
  },
  unsupportedType: {
    status: 415,
    code: 415,
    when: 'The content type is not exactly `application/json`, or a file is not of an accepted type',
    data: PROP,
  },
  rangeNotSatisfiable: {
    status: 416,
    code: 416,
    when: 'The `Range` header asks for bytes that the file does not have',
    data: NOTHING,
  },
  missing: {
    status: 422,
    code: 441,
    when: 'A required value is missing, empty or null',
    data: PROP_OR_BODY,
  },
  invalid: {
    status: 422,
    code: 442,
    when: 'A value is out of range, of the wrong type, too long, not in the list or of the wrong format',
    data: NAME,
  },
  tooMany: {
    status: 429,
    code: 429,
    when: 'Too many tries; `Retry-After` says how long to wait',
    data: SECONDS,
  },
  headersTooLarge: {
    status: 431,
    code: 431,
    when: "The request's headers are too large",
    data: NOTHING,
  },
  internal: {
    status: 500,
    code: 500,
    when: 'Anything else; the answer has no details, but the log has them under the request id',
    data: REQUEST_ID,
  },
  badGateway: {
    status: 502,
    code: 502,
    when: 'The storage gave an invalid answer',
    data: NOTHING,
  },
  unavailable: {
    status: 503,
    code: 503,
    when: "The database or the storage can't be reached, the database is read-only, or the service is overloaded; `Retry-After` says when to try again",
    data: NOTHING,
  },
  tooSlow: {
    status: 504,
    code: 504,
    when: 'The database took too long for the request',
    data: NOTHING,
  },
  storageFull: {
    status: 507,
    code: 507,
    when: 'There is no room for another file: on the disk of the storage, or within the limit for the bytes of all users that are not imported yet',
    data: NOTHING,
  },
} as const satisfies Record<string, CatalogueRow>;

/** The name of a row of the catalogue. */
export type ErrorName = keyof typeof CATALOGUE;

/** The content of an error response: a row of the catalogue or an exception of the application. */
export interface Failure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly extra: { readonly warnings?: readonly Warning[]; readonly headers?: Record<string, string> };
}

/**
 * An error of the catalogue. The error filter turns it into `{error: {code, message, data}}`. `message` is for people and
 * names the prop and the rule. It never contains SQL, paths, constraint names or values of other users. The catalogue says
 * what `data` is.
 */
export class ApiError extends Error implements Failure {
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

/** 400: the request itself is malformed: its JSON, its URL, or a text (text.ts). */
export const malformed = (message: string) => new ApiError('malformed', message);

/** 401: there is no session and the operation needs one, or the session id is invalid or expired. */
export const loginNeeded = (message = 'Log in first: this needs a session.') =>
  new ApiError('loginNeeded', message);

/** 401 / 454: the same response whatever was wrong with the credentials. */
export const loginFailed = () => new ApiError('loginFailed', 'Login failed: the credentials are not valid.');

/** 403: the caller is known and may not do this; `data` names the prop, where there is one. */
export const forbidden = (message: string, prop: string | null = null) =>
  new ApiError('forbidden', message, prop);

/** 404: no such route or record, or none that the caller may see. */
export const notFound = (message = 'Not found.') => new ApiError('notFound', message);

/** 405: the path exists, the method does not. `allow`: the methods that do. */
export const methodNotAllowed = (allow: readonly string[]) =>
  new ApiError('methodNotAllowed', `This path answers ${allow.join(', ')}.`, null, {
    headers: { allow: allow.join(', ') },
  });

/** 409: a unique value is taken, or the state of the record forbids the change. */
export const conflict = (message: string, prop: string | null = null) =>
  new ApiError('conflict', message, prop);

/** 412: the record's version is not listed in `If-Match`, or is listed in `If-None-Match`. */
export const preconditionFailed = () =>
  new ApiError(
    'preconditionFailed',
    'The record is not of a version that If-Match or If-None-Match asks for. Read it again.',
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

/** 422 / 442: the records of a page, or its included records, have more than `limit` bytes. */
export const pageTooLarge = (limit: number) =>
  invalid(
    'itemsPerPage',
    `This page would hold more than ${limit} bytes of records. Ask for fewer itemsPerPage.`,
  );

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

/** 503: the database can't be reached or written to, or the service is overloaded. */
export const unavailable = (
  message = 'The service can’t reach its database now. Try again shortly.',
  cause?: unknown,
) => new ApiError('unavailable', message, null, { headers: { 'retry-after': '2' }, cause });

/** 503: the storage of the files can't be reached now. */
export const storageUnavailable = (cause?: unknown) =>
  unavailable('The service can’t reach its file storage now. Try again shortly.', cause);

/** 504: a statement exceeded its time limit. */
export const tooSlow = (cause?: unknown) =>
  new ApiError('tooSlow', 'The database took too long for this request. Narrow it down.', null, { cause });

/** 507: there is no room for another file until others are deleted or the operator adds space. */
export const storageFull = (cause?: unknown) =>
  new ApiError('storageFull', 'There is no room for another file now. Try again later.', null, {
    headers: { 'retry-after': '600' },
    cause,
  });
