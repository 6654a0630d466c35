import { forbidden, invalid, loginNeeded, type ApiError } from '../../common/errors.js';
import { withArticle } from '../../common/article.js';
import type { Viewer } from '../../common/viewer.js';
import type { RowValues } from '../row.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import type { PropDef } from '../schema/prop.js';
import {
  createsAsOwner,
  editorsOf,
  editsProp,
  mayCreate,
  ownerScope,
  owns,
  authorizationError,
  seesRow,
} from './access.js';

/*
 * What a body may contain: which props, the owner of a new record, and the records that it may refer to.
 */

/** What a body asks for: a new record, or a change of one. */
export type Write = 'create' | 'update';

/** Whether somebody may set `prop` through the body of such a write. */
export function isTaken(prop: PropDef, write: Write): boolean {
  return isOpenTo(prop, write) && prop.type !== 'virtual' && editorsOf(prop).length > 0;
}

/** Whether the viewer may set `prop` in such a write, of a record that it owns or is about to own. */
export function setsProp(prop: PropDef, viewer: Viewer, write: Write): boolean {
  return editsProp(prop, viewer) && isOpenTo(prop, write);
}

function isOpenTo(prop: PropDef, write: Write): boolean {
  return write === 'create' ? !prop.updateOnly : !prop.createOnly;
}

/** Refuses a create to whoever may never create records of `kind`. */
export function denyCreate(kind: LinkedKind, viewer: Viewer): ApiError | null {
  return mayCreate(kind, viewer)
    ? null
    : authorizationError(viewer, `You may not create records of kind ${kind.kind}.`);
}

/** Whether a new row may be stored: a viewer who may create only as an owner must own it. */
export function mayKeep(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  return !createsAsOwner(kind, viewer) || owns(kind, viewer, row);
}

/** Refuses a new row that may not be stored. */
export function denyKeep(kind: LinkedKind, viewer: Viewer, row: RowValues): ApiError | null {
  return mayKeep(kind, viewer, row)
    ? null
    : authorizationError(viewer, `You may create only what you will own.`);
}

/** Whether `prop` holds the user who owns the record, so that a create fills it in. */
export function namesOwner(prop: PropDef, kind: LinkedKind): boolean {
  return prop.name !== 'id' && kind.owner.includes(`$${prop.name}`);
}

/** Whether the record belongs to whoever owns its parent in `prop`. */
export function inheritsOwner(prop: PropDef, kind: LinkedKind): boolean {
  return kind.owner.includes(`^${prop.relation?.name ?? ''}`);
}

/** The user whom a create that leaves `prop` out puts there as the owner; null for none. */
export function ownerFor(prop: PropDef, kind: LinkedKind, viewer: Viewer): string | null {
  return namesOwner(prop, kind) ? viewer.userId : null;
}

/** Whether a record of `kind` is the user who asks. */
export function isViewer(kind: LinkedKind, id: string, viewer: Viewer): boolean {
  return id === viewer.userId && kind.owner.includes('$id');
}

/** The error for a `name` that is not the id of a record of `kind`. */
export function noSuchRecord(name: string, kind: LinkedKind): ApiError {
  return invalid(name, `${name} must be the id of a record of kind ${kind.kind}.`);
}

/**
 * Refuses that a body names a record in `name` which the viewer does not own: a parent, or a file to be attached. One
 * that exists and one that doesn't look the same, but to who would own all.
 * @param row null when there is none
 */
export function denyName(
  name: string,
  kind: LinkedKind,
  viewer: Viewer,
  row: RowValues | null,
): ApiError | null {
  if (row && owns(kind, viewer, row)) return null;
  return row === null && ownerScope(kind, viewer) === 'all'
    ? noSuchRecord(name, kind)
    : forbidden(`${name} must name ${withArticle(kind.kind)} of your own.`, name);
}

/**
 * Refuses that a body names a parent: whoever sets a relation must own the parent, or with `skipOwnerCheck` see it.
 * @param row the parent's row; null when there is none
 */
export function denyNameParent(
  parent: Parent,
  id: string,
  viewer: Viewer,
  row: RowValues | null,
): ApiError | null {
  const { prop, relation, kind } = parent;
  // The caller was deleted after the guard's check, which ended the session.
  if (row === null && isViewer(kind, id, viewer)) return loginNeeded();
  if (!relation.skipOwnerCheck) return denyName(prop.name, kind, viewer, row);
  return row && seesRow(kind, viewer, row) ? null : noSuchRecord(prop.name, kind);
}
