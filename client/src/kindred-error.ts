import type { Schemas } from './types.js';

/** `error.code` of the API: the HTTP status, or a finer code. */
export type ErrorCode = Schemas['Kindred.Error']['error']['code'];

/** A remark beside an answer. */
export type Warning = Schemas['Kindred.Warning'];

/** A failure that the service answered with. Failures of the network are those of `fetch`. */
export class KindredError extends Error {
  override readonly name = 'KindredError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** What went wrong; null when something else than the service has answered. */
    readonly code: ErrorCode | null,
    message: string,
    /** What it is about, by code: the prop or parameter, the limit, the seconds to wait; else null. */
    readonly data: string | number | null,
    /** The other wrong values of the body, and what was ignored. */
    readonly warnings: readonly Warning[],
    /** The service's log has it too; null when something else than the service has answered. */
    readonly requestId: string | null,
  ) {
    super(message);
  }

  /** From an answer that is not a good one. Reads its body. */
  static async of(response: Response): Promise<KindredError> {
    const { status, headers } = response;
    const requestId = headers.get('x-request-id');
    const body: unknown = await response.json().catch(() => null);
    if (!isErrorBody(body)) {
      const message = `The answer was HTTP ${status}, and not one of Kindred’s.`;
      return new KindredError(status, null, message, null, [], requestId);
    }
    const { code, message, data } = body.error;
    return new KindredError(status, code, message, data, body.warnings ?? [], requestId);
  }
}

function isErrorBody(body: unknown): body is Schemas['Kindred.Error'] {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}
