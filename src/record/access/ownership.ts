import type { Viewer } from '../../common/viewer.js';
import type { LinkedKind, OwnerRule } from '../schema/kind-graph.js';
import { columnOf } from '../schema/prop.js';
import { ownerScope } from './access.js';

/*
 * What a declaration says of owners, for the statements and limits that depend on it.
 */

/** The columns that name whose a record is: the user, or the parent that ownership comes from. All have an index. */
export function ownerColumns(kind: LinkedKind): string[] {
  return kind.ownerRules.flatMap(({ hops: [hop], column, role }) => {
    if (hop) return [columnOf(hop)];
    return role === null && column !== 'id' ? [column] : [];
  });
}

/** The rules whose column stands in the row of a parent. */
export function farOwnerRules(kind: LinkedKind): readonly OwnerRule[] {
  return kind.ownerRules.filter((rule) => rule.hops.length > 0);
}

/** Whether limits on the number of records hold for the viewer: not for who owns all of them. */
export function isCounted(kind: LinkedKind, viewer: Viewer): boolean {
  return ownerScope(kind, viewer) !== 'all';
}
