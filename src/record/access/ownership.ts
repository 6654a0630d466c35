import type { Viewer } from '../../common/viewer.js';
import type { LinkedKind, OwnerRule } from '../schema/kind-graph.js';
import { columnOf } from '../schema/prop.js';
import { ownerScope } from './access.js';

/*
 * The owners of a declaration, for statements and limits that depend on them.
 */

/** The columns that hold the owner: the user, or the parent that ownership is inherited from. All have an index. */
export function ownerColumns(kind: LinkedKind): string[] {
  return kind.ownerRules.flatMap(({ hops: [hop], column, role }) => {
    if (hop) return [columnOf(hop)];
    return role === null && column !== 'id' ? [column] : [];
  });
}

/** The rules whose column is in the row of a parent. */
export function farOwnerRules(kind: LinkedKind): readonly OwnerRule[] {
  return kind.ownerRules.filter((rule) => rule.hops.length > 0);
}

/** Whether limits on the number of records apply to the viewer. They do not for viewers who own all records. */
export function isCounted(kind: LinkedKind, viewer: Viewer): boolean {
  return ownerScope(kind, viewer) !== 'all';
}
