/**
 * The limits of the HTTP layer, against slow, oversized and hostile requests. They are documented behaviour. They are
 * options only for tests.
 */
export interface HttpLimits {
  /** Characters of a request target (path and query). Longer: 414. */
  readonly urlLength: number;
  /** Bytes of request line and headers. More: 431. Larger than `urlLength`, to distinguish long URLs from long headers. */
  readonly headerBytes: number;
  /** Milliseconds that a client may take to send the headers. Longer: the connection is closed. */
  readonly headersTimeout: number;
  /** Milliseconds that a client may take to send a whole request, except uploads. Longer: the connection is closed. */
  readonly requestTimeout: number;
  /** The connection is closed if less than `uploadBytes` of an upload arrive in this time. In milliseconds. */
  readonly uploadWindow: number;
  /** Bytes. */
  readonly uploadBytes: number;
  /** Milliseconds that an idle connection stays open after a response. */
  readonly keepAliveTimeout: number;
  /** How often to check for connections that exceed these times, in milliseconds. */
  readonly checkInterval: number;
  /** How long active requests may continue when the service stops, in milliseconds. */
  readonly stopGrace: number;
  /** The connection is closed if less than `responseBytes` of a waiting response leave in this time. In milliseconds. */
  readonly responseWindow: number;
  /** Bytes. */
  readonly responseBytes: number;
  /** Bytes of unread responses, of all connections together. */
  readonly unreadBytes: number;
  /** Unread bytes of large responses to one user, or one network without a session. More: its next pages wait. */
  readonly unreadBytesOfOne: number;
  /** Bytes of JSON bodies that are incomplete or wait to be parsed, of all connections together. More: one is 503. */
  readonly unparsedBytes: number;
  /** Bytes of a JSON body from which on bodies are parsed one after the other. */
  readonly largeBodyBytes: number;
  /** Requests of one connection that run at the same time. With 1, each response is read before the next one is built. */
  readonly requestsAtOnce: number;
  /** Further requests of one connection that may wait. More: it is closed after their responses. */
  readonly requestsWaiting: number;
  /** Characters of one path parameter. More: 404, as no id or name is that long. */
  readonly paramLength: number;
}

/** The limits of the service. */
export const HTTP_LIMITS: HttpLimits = Object.freeze({
  urlLength: 8192,
  headerBytes: 32 * 1024,
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  uploadWindow: 30_000,
  uploadBytes: 64 * 1024,
  keepAliveTimeout: 72_000,
  checkInterval: 5_000,
  stopGrace: 10_000,
  responseWindow: 30_000,
  responseBytes: 64 * 1024,
  unreadBytes: 64 * 1024 * 1024,
  unreadBytesOfOne: 16 * 1024 * 1024,
  unparsedBytes: 64 * 1024 * 1024,
  largeBodyBytes: 64 * 1024,
  requestsAtOnce: 1,
  requestsWaiting: 100,
  paramLength: 512,
});
