import { forbidden, invalid, loginNeeded, type ApiError } from '../../common/errors.js';
import { withArticle } from '../../common/indefinite-article.js';
import { NO_MEMBERSHIPS, type Viewer } from '../../common/viewer.js';
import type { RowValues } from '../row.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import { columnOf, type PropDef, type Who } from '../schema/prop.js';
import {
  allows,
  authorizationError,
  covers,
  editorsOf,
  editScope,
  EVERY_ROW,
  NO_ROW,
  owns,
  ownsAll,
  scope,
  seesRow,
  standingOn,
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

/**
 * Whether the viewer may set `prop` of a record that it may change; of one that it is about to create, as far as is known
 * before it is stored.
 * @param row null for a new record
 */
export function setsProp(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues | null): boolean {
  if (!isOpenTo(prop, row ? 'update' : 'create')) return false;
  if (row === null) return couldSet(prop, kind, viewer);
  if (!allows(editScope(prop, kind, viewer), kind, viewer, row)) return false;
  return !isOwnMembership(prop, kind, viewer, row) || isAboveMembership(prop, kind, viewer, row);
}

/** Refuses to set one of these props of a record that the viewer may change. */
export function denySet(
  names: Iterable<string>,
  kind: LinkedKind,
  viewer: Viewer,
  row: RowValues,
): ApiError | null {
  for (const name of names) {
    const prop = kind.byName.get(name);
    if (prop && !setsProp(prop, kind, viewer, row))
      return authorizationError(viewer, `You may not set ${name} of this ${kind.kind}.`, name);
  }
  return null;
}

/** Whether the viewer may set `prop` of some new record; its standing on the record decides when it is stored. */
export function couldSet(prop: PropDef, kind: LinkedKind, viewer: Viewer): boolean {
  const editors = editorsOf(prop);
  // A right to create that does not depend on the record includes what owners may set.
  if (createsAnyway(kind, viewer) && editors.includes('owner')) return true;
  return scope(editors, kind, viewer) !== NO_ROW;
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

/** Whether the viewer may create records of `kind`. */
export function mayCreate(kind: LinkedKind, viewer: Viewer): boolean {
  return (
    createsAnyway(kind, viewer) ||
    (viewer.userId !== null && kind.create.some((entry) => isGroup(entry, kind)))
  );
}

/** Whether a right to create does not depend on the record. */
function createsAnyway(kind: LinkedKind, viewer: Viewer): boolean {
  return kind.create.some((entry) => entry === 'public' || viewer.roles.has(entry));
}

function isGroup(entry: string, kind: LinkedKind): boolean {
  return kind.linkedGroups.some(({ name }) => name === entry);
}

/** Whether a new row may be stored: a viewer who may create only as a member of a group must be in that group. */
export function mayKeep(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  return createsAnyway(kind, viewer) || allows(scope(kind.create, kind, viewer), kind, viewer, row);
}

/**
 * Refuses a new row that may not be stored, as a whole or because of a prop that only others may set: the viewer's
 * standing on it is known only now.
 * @param given the props that the body sets
 */
export function denyKeep(
  kind: LinkedKind,
  viewer: Viewer,
  row: RowValues,
  given: ReadonlySet<string>,
): ApiError | null {
  if (!mayKeep(kind, viewer, row)) {
    const isOwners = kind.create.every((entry) => entry === 'owner');
    return authorizationError(
      viewer,
      isOwners ? `You may create only what you will own.` : `You may not create this ${kind.kind}.`,
    );
  }
  const refused = kind.props.find((prop) => given.has(prop.name) && !keepsProp(prop, kind, viewer, row));
  return refused ? forbidden(`You may not set ${refused.name} here.`, refused.name) : null;
}

/** Whether the viewer may have set `prop` of a new row. */
function keepsProp(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  if (isOwnMembership(prop, kind, viewer, row)) return isAboveMembership(prop, kind, viewer, row);
  if (createsAnyway(kind, viewer) && editorsOf(prop).includes('owner')) return true;
  return allows(editScope(prop, kind, viewer), kind, viewer, row);
}

/**
 * Whether `prop` is one that decides what a membership of the viewer opens. Nobody may make himself a member, or raise his
 * own role, by a right that comes from a membership.
 */
function isOwnMembership(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  const membership = kind.linkedMembership;
  if (!membership || viewer.userId === null || row[columnOf(membership.user)] !== viewer.userId) return false;
  const { user, record, role, until } = membership;
  return prop === user || prop === record || prop === role || prop === until;
}

/** Whether the viewer may set `prop` of its own membership by a right that does not come from a membership. */
function isAboveMembership(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  const membership = kind.linkedMembership;
  const others = { ...viewer, memberships: NO_MEMBERSHIPS };
  const user = membership && { ...row, [columnOf(membership.user)]: null };
  return covers(editScope(prop, kind, viewer), standingOn(kind, others, user ?? row));
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
  return row === null && ownsAll(kind, viewer)
    ? noSuchRecord(name, kind)
    : forbidden(`${name} must name ${withArticle(kind.kind)} of your own.`, name);
}

/** The same for a relation that names other groups of the parent than its owners. */
function denyAttach(
  attach: Who,
  { prop, kind }: Parent,
  viewer: Viewer,
  row: RowValues | null,
): ApiError | null {
  const where = scope(attach, kind, viewer);
  if (row && allows(where, kind, viewer, row)) return null;
  return row === null && where === EVERY_ROW
    ? noSuchRecord(prop.name, kind)
    : forbidden(`${prop.name} must name ${withArticle(kind.kind)} to which you may add records.`, prop.name);
}

/**
 * Refuses that a body names a parent: whoever sets a relation must own the parent or be of a group that may name it
 * (`attach`), or with `skipOwnerCheck` see it.
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
  if (relation.skipOwnerCheck) {
    return row && seesRow(kind, viewer, row) ? null : noSuchRecord(prop.name, kind);
  }
  return relation.attach
    ? denyAttach(relation.attach, parent, viewer, row)
    : denyName(prop.name, kind, viewer, row);
}
