import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { entityTags } from '../../http/conditional.js';
import { preconditionFailed } from '../../common/errors.js';
import type { Row } from '../row.js';

/** Characters of a digest: 96 bits. */
const DIGEST_LENGTH = 16;
/** Separates the version of a record from the digest of its representation. */
const SEPARATOR = ';';

/** The headers with the conditions of a request. */
export type Conditions = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>;

/**
 * The entity tag of a record as it is shown (RFC 9110 §8.8.3): its version (`updatedAt` rises with every real change) and a
 * digest of the response, which also depends on the caller, the includes and other records.
 */
export function recordTag(row: Row, text: string | Buffer): string {
  return `"${row.updatedAt}${SEPARATOR}${digest(text)}"`;
}

/** The entity tag of a list as it is shown, as text or in UTF-8. It is weak: nothing can be changed under its condition. */
export function listTag(text: string | Buffer): string {
  return `W/"${digest(text)}"`;
}

/**
 * Checks `If-Match`, then `If-None-Match`, before a change of a record (RFC 9110 §13.2.2). Only the version in a tag
 * matters, so the tag of a response with includes works too.
 * @throws ApiError 412
 */
export function checkConditions(conditions: Conditions, row: Row): void {
  checkIfMatch(conditions, row);
  const unwanted = conditions['if-none-match'];
  if (unwanted !== undefined && isNamed(unwanted, row, true)) throw preconditionFailed();
}

/**
 * Checks `If-Match` alone: before a record is shown (RFC 9110 §13.1.1), or a list, which has no strong tag to match.
 * @param row null for a list
 * @throws ApiError 412
 */
export function checkIfMatch(conditions: Conditions, row: Row | null): void {
  const wanted = conditions['if-match'];
  if (wanted !== undefined && !isNamed(wanted, row, false)) throw preconditionFailed();
}

function isNamed(header: string, row: Row | null, weakly: boolean): boolean {
  const tags = entityTags(header);
  if (tags === '*') return true;
  return tags.some(({ weak, opaque }) => row !== null && (weakly || !weak) && isVersion(opaque, row));
}

function isVersion(opaque: string, row: Row): boolean {
  const [version] = opaque.split(SEPARATOR, 1);
  return version === row.updatedAt;
}

const digest = (text: string | Buffer): string => hash('sha1', text, 'base64url').slice(0, DIGEST_LENGTH);
