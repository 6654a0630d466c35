/** A part of an object; both bounds are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` header (RFC 9110 §14.1.2) with one range of bytes.
 * @returns the part; null: send the whole (no header, or one that may be ignored); `unsatisfiable`: 416
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (!match || (from === '' && to === '')) return null;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length > 0 ? { start: size - length, end: size - 1 } : 'unsatisfiable';
  }
  if (to !== '' && Number(to) < Number(from)) return null;
  const start = Number(from);
  return start < size
    ? { start, end: Math.min(to === '' ? size - 1 : Number(to), size - 1) }
    : 'unsatisfiable';
}
