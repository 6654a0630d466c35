import type { Viewer } from '../../common/viewer.js';
import { EVERY_ROW, NO_ROW } from '../access/access.js';
import { listedScope } from '../access/reading.js';
import { type KindSql, maxBytesOf } from '../sql/kind-sql.js';

/** Bytes that the long values of a row may have at most. A value that only some rows show counts as both. */
export interface RowBytes {
  readonly visible: number;
  readonly hidden: number;
}

/** What the viewer may see of the long values of a row, and what not, at most. */
export function maxRowBytes({ kind, longProps }: KindSql, viewer: Viewer): RowBytes {
  let [visible, hidden] = [0, 0];
  for (const prop of longProps) {
    const seen = listedScope(prop, kind, viewer);
    if (seen !== NO_ROW) visible += maxBytesOf(prop);
    if (seen !== EVERY_ROW) hidden += maxBytesOf(prop);
  }
  return { visible, hidden };
}
