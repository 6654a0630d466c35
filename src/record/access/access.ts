import { forbidden, loginNeeded, notFound, type ApiError } from '../../common/errors.js';
import type { LinkedKind, OwnerRule } from '../schema/kind-graph.js';
import type { PropDef, Who } from '../schema/prop.js';
import type { RowValues } from '../row.js';
import type { Viewer } from '../../common/viewer.js';

/*
 * Who may see and do what is decided in this folder only; ESLint enforces that (scripts/lint/access-words.mjs). This file
 * has the basics: rows, props and ownership. The rules for bodies are in writing.ts, those for lists and relations in
 * reading.ts, those for links and choices in offers.ts; ownership.ts and openness.ts have what does not depend on the row.
 *
 * Except for rights.ts, which checks in the database whether a session is still valid, everything is a plain function of
 * the declaration, the viewer and a loaded row, and returns a plain value. So no check can be lost by a missing await, and
 * what no rule allows is refused.
 *
 * Access to a prop has one of three scopes for all rows at once (`AccessScope`). The row matters only for `owned`. Props,
 * search, qualifiers, ranges, sort, totals, related and options all use the same AccessScope.
 */

/** On which rows something is allowed: every row, the rows that the viewer owns, or no row at all. */
export type AccessScope = 'all' | 'owned' | 'none';

/** The rows of `kind` that the viewer owns. */
export function ownerScope(kind: LinkedKind, viewer: Viewer): AccessScope {
  for (const role of kind.ownerRoles) if (viewer.roles.has(role)) return 'all';
  return kind.ownerRules.some((rule) => applies(rule, viewer)) ? 'owned' : 'none';
}

/** The rows for which an access list lets the viewer in. */
export function scope(who: Who, kind: LinkedKind, viewer: Viewer): AccessScope {
  if (who.some((entry) => entry === 'public' || viewer.roles.has(entry))) return 'all';
  return who.includes('owner') ? ownerScope(kind, viewer) : 'none';
}

/** The rows of `kind` that the viewer may see. */
export function rowScope(kind: LinkedKind, viewer: Viewer): AccessScope {
  return scope(kind.view, kind, viewer);
}

/** Who may see `prop` on some row. Whoever may edit a prop may view it. */
export function viewersOf(prop: PropDef): Who {
  return prop.writeOnly ? [] : [...prop.view, ...prop.edit];
}

/** Who may set `prop` through a body. */
export function editorsOf(prop: PropDef): Who {
  return prop.noSetAll ? [] : prop.edit;
}

/** The visible rows on which the viewer may see `prop`. */
export function viewScope(prop: PropDef, kind: LinkedKind, viewer: Viewer): AccessScope {
  return scope(viewersOf(prop), kind, viewer);
}

/** Whether everybody who is shown a row of `kind` sees `prop`: those who may see the row, and its creator. */
export function isSeenWithRow(prop: PropDef, kind: LinkedKind): boolean {
  const viewers = viewersOf(prop);
  const everybody = [...kind.view, ...kind.create];
  const sees = (entry: string) =>
    viewers.includes(entry) || (viewers.includes('owner') && kind.ownerRoles.has(entry));
  return viewers.includes('public') || (kind.view.length > 0 && everybody.every(sees));
}

/** Whether the viewer owns this row. */
export function owns(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  for (const role of kind.ownerRoles) if (viewer.roles.has(role)) return true;
  return kind.ownerRules.some((rule) => {
    const value = row[rule.key];
    if (value === null || value === undefined || !applies(rule, viewer)) return false;
    return rule.role !== null || value === viewer.userId;
  });
}

/** Whether something with this scope is allowed on a row, given whether the viewer owns it. */
export function covers(where: AccessScope, owned: boolean): boolean {
  return where === 'all' || (where === 'owned' && owned);
}

/** Whether the viewer may see this row at all. */
export function seesRow(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  const where = rowScope(kind, viewer);
  return where === 'all' || (where === 'owned' && owns(kind, viewer, row));
}

/** Whether the viewer may see `prop` on this row, which it may see. */
export function seesProp(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  const where = viewScope(prop, kind, viewer);
  return where === 'all' || (where === 'owned' && owns(kind, viewer, row));
}

/**
 * Whether the viewer may set `prop`, on a record that it owns or is about to create and own. Only owners write
 * records, so `owner` is always true here; `edit` still decides prop by prop.
 */
export function editsProp(prop: PropDef, viewer: Viewer): boolean {
  return editorsOf(prop).some((entry) => entry === 'public' || entry === 'owner' || viewer.roles.has(entry));
}

/** Whether the viewer may create records of `kind`. */
export function mayCreate(kind: LinkedKind, viewer: Viewer): boolean {
  return kind.create.some(
    (entry) => entry === 'public' || (entry === 'owner' && viewer.userId !== null) || viewer.roles.has(entry),
  );
}

/** Whether `owner` alone lets the viewer create, who must then own the record. */
export function createsAsOwner(kind: LinkedKind, viewer: Viewer): boolean {
  return !kind.create.some((entry) => entry === 'public' || viewer.roles.has(entry));
}

/** Refuses a list of a kind of which the viewer can never see a row. */
export function denyList(kind: LinkedKind, viewer: Viewer): ApiError | null {
  return rowScope(kind, viewer) === 'none'
    ? authorizationError(viewer, `You may not see records of kind ${kind.kind}.`)
    : null;
}

/** Refuses a write to a row: 404 when the viewer may not see it, else 401 or 403 unless it owns it. */
export function denyWrite(kind: LinkedKind, viewer: Viewer, row: RowValues | null): ApiError | null {
  if (row === null || !seesRow(kind, viewer, row)) return notFound();
  if (kind.readOnly) return authorizationError(viewer, `Records of kind ${kind.kind} can’t be changed.`);
  return owns(kind, viewer, row)
    ? null
    : authorizationError(viewer, `Only owners may change this ${kind.kind}.`);
}

/** The error for a viewer without the right: 401 without a session, otherwise 403. */
export function authorizationError(viewer: Viewer, message: string, prop: string | null = null): ApiError {
  return viewer.userId === null ? loginNeeded() : forbidden(message, prop);
}

/**
 * Ownership as SQL, for rows that are not loaded: true exactly where `owns` is true. Otherwise false or null, so never put
 * it under a NOT. The columns stand alone, so that their indexes can be used.
 * @param column the SQL of a rule's column
 * @param parameter the SQL of a value: the viewer's user id
 */
export function ownedSql(
  kind: LinkedKind,
  viewer: Viewer,
  column: (rule: OwnerRule) => string,
  parameter: (userId: string | null) => string,
): string {
  if (ownerScope(kind, viewer) === 'all') return 'true';
  const terms = kind.ownerRules
    .filter((rule) => applies(rule, viewer))
    .map((rule) =>
      rule.role === null ? `${column(rule)} = ${parameter(viewer.userId)}` : `${column(rule)} IS NOT NULL`,
    );
  return terms.length ? `(${terms.join(' OR ')})` : 'false';
}

/** Whether the rule can make this viewer an owner of anything. */
function applies(rule: OwnerRule, viewer: Viewer): boolean {
  return rule.role === null ? viewer.userId !== null : viewer.roles.has(rule.role);
}
