import type { RecordHooks } from '../record-hooks.js';
import type { KindGraph, LinkedKind } from '../schema/kind-graph.js';

/** A kind with the service that has its options, extras and hooks. */
export interface ServedKind {
  readonly kind: LinkedKind;
  /** All kinds of the version. */
  readonly graph: KindGraph;
  readonly service: RecordHooks;
  /** Another kind of the same service. */
  readonly other: (kind: LinkedKind) => ServedKind;
}
