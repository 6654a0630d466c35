import type { Warning } from '../http/errors.js';
import type { Paging } from './envelope.js';
import type { Includes } from './includes.js';
import type { LinkedKind } from './kind-graph.js';
import type { Row } from './row.js';
import type { Viewer } from './viewer.js';

/**
 * What a record operation returns: rows, and for whom and how to show them. The envelope interceptor turns it into
 * the JSON answer; nothing of a row leaves the service by another way.
 */
export class RecordAnswer {
  readonly kind: LinkedKind;
  /** The rights by which the rows are shown: those after the operation. */
  readonly viewer: Viewer;
  readonly rows: readonly Row[];
  /** Set for a list; a single record has none. */
  readonly paging: Paging | null;
  readonly includes: Includes;
  readonly warnings: readonly Warning[];
  /** Joins `meta` of a single record, and makes it be there. */
  readonly meta: Readonly<Record<string, unknown>>;

  constructor(content: {
    kind: LinkedKind;
    viewer: Viewer;
    rows: readonly Row[];
    paging?: Paging;
    includes: Includes;
    warnings?: readonly Warning[];
    meta?: Readonly<Record<string, unknown>>;
  }) {
    this.kind = content.kind;
    this.viewer = content.viewer;
    this.rows = content.rows;
    this.paging = content.paging ?? null;
    this.includes = content.includes;
    this.warnings = content.warnings ?? [];
    this.meta = content.meta ?? {};
  }
}
