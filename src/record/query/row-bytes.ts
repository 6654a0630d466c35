import type { Viewer } from '../../common/viewer.js';
import { EVERY_ROW, NO_ROW } from '../access/access.js';
import { listedScope } from '../access/reading.js';
import { type KindSql, maxBytesOf } from '../sql/kind-sql.js';

/** Bytes that the long values of a row may have at most. */
export interface RowBytes {
  readonly all: number;
  /** Of those that the viewer sees on some rows at least. */
  readonly visible: number;
  /** Of those that it does not see on some rows. */
  readonly hidden: number;
}

/** How large rows of a kind may be, and how much of it a viewer sees. */
export function maxRowBytes({ kind, longProps }: KindSql, viewer: Viewer): RowBytes {
  let [all, visible, hidden] = [0, 0, 0];
  for (const prop of longProps) {
    const seen = listedScope(prop, kind, viewer);
    all += maxBytesOf(prop);
    if (seen !== NO_ROW) visible += maxBytesOf(prop);
    if (seen !== EVERY_ROW) hidden += maxBytesOf(prop);
  }
  return { all, visible, hidden };
}
