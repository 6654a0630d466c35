import type { Viewer } from '../../common/viewer.js';
import type { GroupRule, LinkedKind, LinkedMembership } from '../schema/kind-graph.js';
import { columnOf } from '../schema/prop.js';
import { ownsAll } from './access.js';

/*
 * What a declaration says of owners and groups, for the statements and limits that depend on it.
 */

/** The columns that hold the owner: the user, or the parent that ownership is inherited from. All have an index. */
export function ownerColumns(kind: LinkedKind): string[] {
  return kind.linkedGroups[0].rules.flatMap(({ hops: [hop], column, role }) => {
    if (hop) return [columnOf(hop)];
    return role === null && column !== 'id' ? [column] : [];
  });
}

/** The rules of all groups whose column stands in the row of a parent: one for each column. */
export function farRules(kind: LinkedKind): readonly GroupRule[] {
  const far = kind.linkedGroups.flatMap(({ rules }) => rules).filter(({ hops }) => hops.length > 0);
  return [...new Map(far.map((rule) => [rule.key, rule])).values()];
}

/** Whether limits on the number of records apply to the viewer. They do not for viewers who own all records. */
export function isCounted(kind: LinkedKind, viewer: Viewer): boolean {
  return !ownsAll(kind, viewer);
}

/** The props of a kind of memberships; null for any other kind. */
export function membershipProps(kind: LinkedKind): LinkedMembership | null {
  return kind.linkedMembership;
}
