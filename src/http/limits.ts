/**
 * The limits of the HTTP layer, against slow, oversized and hostile requests. They are part of the documented
 * behaviour, and options only so that tests needn't wait.
 */
export interface HttpLimits {
  /** Characters of a request target (path and query). Longer: 414. */
  readonly urlLength: number;
  /** Bytes of request line and headers. More: 431. Above `urlLength`, so that a long URL is told from long headers. */
  readonly headerBytes: number;
  /** Milliseconds that a client may take to send the headers. Longer: the connection is closed. */
  readonly headersTimeout: number;
  /** Milliseconds that a client may take to send a whole request, but for an upload. Longer: the connection is closed. */
  readonly requestTimeout: number;
  /** Milliseconds in which an upload must bring `uploadBytes` more, again and again. Less: the connection is closed. */
  readonly uploadWindow: number;
  /** Bytes. */
  readonly uploadBytes: number;
  /** Milliseconds that an idle connection stays open after an answer. */
  readonly keepAliveTimeout: number;
  /** Milliseconds between two looks for connections that are over time. */
  readonly checkInterval: number;
  /** Milliseconds that requests under way are given when the service stops. */
  readonly stopGrace: number;
  /** The connection is closed if less than `responseBytes` of a waiting response leave in this time. In milliseconds. */
  readonly responseWindow: number;
  /** Bytes. */
  readonly responseBytes: number;
  /** Bytes of answers that may wait for their clients to read them, of all connections together. */
  readonly unreadBytes: number;
  /** Bytes of large answers to one user, or one network without a session, from which on no more pages are made for it. */
  readonly unreadBytesOfOne: number;
  /** Requests of one connection that are carried out at the same time: with one, no answer is made before the last is read. */
  readonly requestsAtOnce: number;
  /** Further requests of one connection that may wait. More: it is closed after those are answered. */
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
  requestsAtOnce: 1,
  requestsWaiting: 100,
  paramLength: 512,
});
