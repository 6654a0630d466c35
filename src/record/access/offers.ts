import type { ApiError } from '../../common/errors.js';
import type { Viewer } from '../../common/viewer.js';
import type { Child, LinkedKind, Parent } from '../schema/kind-graph.js';
import type { PropDef } from '../schema/prop.js';
import { editsProp, mayCreate, ownerScope, scope, covers, denyList, rowScope, viewScope } from './access.js';

/*
 * What a response offers its reader to do next: the methods of links, and choices for enumerated props.
 */

/** The methods that the viewer may use on the list of a kind. */
export function listMethods(kind: LinkedKind, viewer: Viewer): string[] {
  return [
    ...(kind.generic && rowScope(kind, viewer) !== 'none' ? ['GET'] : []),
    ...(mayCreate(kind, viewer) ? ['POST'] : []),
  ];
}

/** The methods that the owner, or others who see it, may use on a record. */
export function recordMethods(kind: LinkedKind, isOwner: boolean): string[] {
  if (!isOwner || kind.readOnly) return ['GET'];
  return kind.generic ? ['GET', 'PUT', 'DELETE'] : ['GET', 'DELETE'];
}

/** The methods that the viewer may use on a relation of a record that it sees: none when it may not follow it. */
export function relationMethods(
  relation: Parent | Child,
  kind: LinkedKind,
  viewer: Viewer,
  isOwner: boolean,
): string[] {
  const follows = covers(viewScope(relation.prop, kind, viewer), isOwner) && hasEnd(relation, viewer);
  return follows ? ['GET'] : [];
}

/** Refuses the choices of a kind to viewers who could use none of them. */
export function denyChoose(kind: LinkedKind, viewer: Viewer): ApiError | null {
  return mayCreate(kind, viewer) ? null : denyList(kind, viewer);
}

/** Whether the viewer could see or set `prop` on a record of its own, and so may know the choices for it. */
export function couldChoose(prop: PropDef, kind: LinkedKind, viewer: Viewer): boolean {
  if (scope([...prop.view, ...prop.edit], kind, viewer) === 'all') return true;
  const couldOwn = ownerScope(kind, viewer) !== 'none' || mayCreate(kind, viewer);
  return couldOwn && (prop.view.includes('owner') || editsProp(prop, viewer));
}

/** Whether the choices for `prop` are included with a record. */
export function choosesOn(prop: PropDef, kind: LinkedKind, viewer: Viewer, isOwner: boolean): boolean {
  return covers(viewScope(prop, kind, viewer), isOwner) || (isOwner && editsProp(prop, viewer));
}

/** Whether the viewer could see anything at the other end. */
function hasEnd(relation: Parent | Child, viewer: Viewer): boolean {
  if (!('foreignProp' in relation)) return true;
  const { kind, foreignProp } = relation;
  return rowScope(kind, viewer) !== 'none' && viewScope(foreignProp, kind, viewer) !== 'none';
}
