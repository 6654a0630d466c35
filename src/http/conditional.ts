/** Whether a client that sends this `If-None-Match` has the version `etag` already (RFC 9110 §13.1.2). */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
