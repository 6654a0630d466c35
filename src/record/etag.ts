import type { Row } from './row.js';

/** The version of a record as an entity tag (RFC 9110 §8.8.3): `updatedAt` rises with every real change. */
export function etagOf(row: Row): string {
  return `"${String(row.updatedAt)}"`;
}

/** Whether an `If-Match` header allows a change of this row. Without the header every version will do. */
export function etagMatches(ifMatch: string | undefined, row: Row): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return ifMatch.split(',').some((tag) => tag.trim() === etagOf(row));
}
