import type { RecordService } from '../record.service.js';
import type { LinkedKind } from '../schema/kind-graph.js';

/** A kind with the service that has its options, extras and hooks. */
export interface ServedKind {
  readonly kind: LinkedKind;
  readonly service: RecordService;
  /** Another kind of the same service. */
  readonly other: (kind: LinkedKind) => ServedKind;
}
