import type { Viewer } from '../../common/viewer.js';
import type { RowsContext } from '../query/list-query.js';
import type { RecordEngine } from '../record-engine.js';
import type { LinkedKind } from '../schema/kind-graph.js';

/** What the statements need that read rows of a kind for a viewer. */
export function rowsContext(engine: RecordEngine, kind: LinkedKind, viewer: Viewer): RowsContext {
  const { store, ids } = engine;
  const closed = store.removals.of(kind.table);
  return { kind, viewer, sql: store.sql(kind), ids, closed, pageBytes: store.pageBytes };
}
