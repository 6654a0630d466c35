import type { ApiError } from '../../common/errors.js';
import type { Viewer } from '../../common/viewer.js';
import type { Child, LinkedKind, Parent } from '../schema/kind-graph.js';
import type { PropDef } from '../schema/prop.js';
import {
  covers,
  denyList,
  editScope,
  NO_ROW,
  rowScope,
  scope,
  type Standing,
  viewScope,
  writeScope,
} from './access.js';
import { couldSet, mayCreate } from './writing.js';

/*
 * What a response offers its reader to do next: the methods of links, and choices for enumerated props.
 */

/** The methods that the viewer may use on the list of a kind. */
export function listMethods(kind: LinkedKind, viewer: Viewer): string[] {
  return [
    ...(kind.generic && rowScope(kind, viewer) !== NO_ROW ? ['GET'] : []),
    ...(mayCreate(kind, viewer) ? ['POST'] : []),
  ];
}

/** Whether the viewer may change a record that it sees. */
export function mayWrite(kind: LinkedKind, viewer: Viewer, standing: Standing): boolean {
  return covers(writeScope(kind, viewer), standing);
}

/** The methods that the viewer may use on a record that it sees. */
export function recordMethods(kind: LinkedKind, viewer: Viewer, standing: Standing): string[] {
  if (!mayWrite(kind, viewer, standing)) return ['GET'];
  return kind.generic ? ['GET', 'PUT', 'DELETE'] : ['GET', 'DELETE'];
}

/** The methods that the viewer may use on a relation of a record that it sees: none when it may not follow it. */
export function relationMethods(
  relation: Parent | Child,
  kind: LinkedKind,
  viewer: Viewer,
  standing: Standing,
): string[] {
  const follows = covers(viewScope(relation.prop, kind, viewer), standing) && hasEnd(relation, viewer);
  return follows ? ['GET'] : [];
}

/** Refuses the choices of a kind to viewers who could use none of them. */
export function denyChoose(kind: LinkedKind, viewer: Viewer): ApiError | null {
  return mayCreate(kind, viewer) ? null : denyList(kind, viewer);
}

/** Whether the viewer could see or set `prop` on some record, and so may know the choices for it. */
export function couldChoose(prop: PropDef, kind: LinkedKind, viewer: Viewer): boolean {
  if (scope([...prop.view, ...prop.edit], kind, viewer) !== NO_ROW) return true;
  return mayCreate(kind, viewer) && (prop.view.includes('owner') || couldSet(prop, kind, viewer));
}

/** Whether the choices for `prop` stand beside a record. */
export function choosesOn(prop: PropDef, kind: LinkedKind, viewer: Viewer, standing: Standing): boolean {
  if (covers(viewScope(prop, kind, viewer), standing)) return true;
  return mayWrite(kind, viewer, standing) && covers(editScope(prop, kind, viewer), standing);
}

/** Whether the viewer could see anything at the other end. */
function hasEnd(relation: Parent | Child, viewer: Viewer): boolean {
  if (!('foreignProp' in relation)) return true;
  const { kind, foreignProp } = relation;
  return rowScope(kind, viewer) !== NO_ROW && viewScope(foreignProp, kind, viewer) !== NO_ROW;
}
