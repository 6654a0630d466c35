import { forbidden, loginNeeded, notFound, type ApiError } from '../../common/errors.js';
import type { Group, GroupRule, LinkedKind } from '../schema/kind-graph.js';
import type { PropDef, Who } from '../schema/prop.js';
import type { RowValues } from '../row.js';
import { keyOfSource, type MembershipSource, type Viewer } from '../../common/viewer.js';

/*
 * Who may see and do what is decided in this folder only; ESLint enforces that (scripts/lint/access-words.mjs). This file
 * has the basics: rows, props and ownership. The rules for bodies are in writing.ts, those for lists and relations in
 * reading.ts, those for links and choices in offers.ts; ownership.ts and openness.ts have what does not depend on the row.
 *
 * Except for rights.ts, which checks in the database whether a session is still valid, everything is a plain function of
 * the declaration, the viewer and a loaded row, and returns a plain value. So no check can be lost by a missing await, and
 * what no rule allows is refused.
 *
 * Access lists name groups of users: everybody, the owners of a row, and the groups that the kind declares. Access to a
 * prop has a scope for all rows at once, the groups that it is open to (`AccessScope`). Only the groups that the viewer
 * is in (`Standing`) depend on the row. Props, search, qualifiers, ranges, sort, totals, related and options all use the
 * same AccessScope.
 */

/**
 * On which rows something is allowed: on all those on which the viewer is in one of these groups. A bit for each group: 1 is
 * everybody, 2 the owners, and then those that the kind declares.
 */
export type AccessScope = number;

/** The groups that a viewer is in on a row, with the same bits; everybody is always among them. */
export type Standing = number;

/** Allowed on no row. */
export const NO_ROW: AccessScope = 0;
/** Allowed on every row. */
export const EVERY_ROW: AccessScope = 1;
const OWNER = 2;

/** The rows on which the viewer is in the group at `index` of the kind's. */
function groupScope({ roles, rules }: Group, index: number, viewer: Viewer): AccessScope {
  for (const role of roles) if (viewer.roles.has(role)) return EVERY_ROW;
  return rules.some((rule) => applies(rule, viewer)) ? OWNER << index : NO_ROW;
}

/** The rows of `kind` that the viewer owns. */
export function ownerScope(kind: LinkedKind, viewer: Viewer): AccessScope {
  return groupScope(kind.linkedGroups[0], 0, viewer);
}

/** Whether the viewer owns every record of the kind, also those to come. */
export function ownsAll(kind: LinkedKind, viewer: Viewer): boolean {
  return ownerScope(kind, viewer) === EVERY_ROW;
}

/** The rows for which an access list lets the viewer in. */
export function scope(who: Who, kind: LinkedKind, viewer: Viewer): AccessScope {
  if (who.some((entry) => entry === 'public' || viewer.roles.has(entry))) return EVERY_ROW;
  let groups = NO_ROW;
  for (const [index, group] of kind.linkedGroups.entries())
    if (who.includes(group.name)) groups |= groupScope(group, index, viewer);
  return groups & EVERY_ROW || groups;
}

/** The rows of `kind` that the viewer may see. */
export function rowScope(kind: LinkedKind, viewer: Viewer): AccessScope {
  return scope(kind.view, kind, viewer);
}

/** The rows of `kind` that the viewer may change, of those that it sees. */
export function writeScope(kind: LinkedKind, viewer: Viewer): AccessScope {
  return kind.readOnly ? NO_ROW : scope(kind.write, kind, viewer);
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

/** The rows on which the viewer may set `prop`, of those that it may change. */
export function editScope(prop: PropDef, kind: LinkedKind, viewer: Viewer): AccessScope {
  return scope(editorsOf(prop), kind, viewer);
}

/** Whether everybody who is shown a row of `kind` sees `prop`: those who may see the row, and its creator. */
export function isSeenWithRow(prop: PropDef, kind: LinkedKind): boolean {
  const viewers = viewersOf(prop);
  const everybody = [...kind.view, ...kind.create];
  const sees = (entry: string) =>
    viewers.includes(entry) ||
    kind.linkedGroups.some(({ name, roles }) => viewers.includes(name) && roles.has(entry));
  return viewers.includes('public') || (kind.view.length > 0 && everybody.every(sees));
}

/** The groups that the viewer is in on this row. */
export function standingOn(kind: LinkedKind, viewer: Viewer, row: RowValues): Standing {
  let standing = EVERY_ROW;
  for (let i = 0; i < kind.linkedGroups.length; i++)
    if (isIn(kind.linkedGroups[i] as Group, viewer, row)) standing |= OWNER << i;
  return standing;
}

/** Whether the viewer owns this row. */
export function owns(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  return isIn(kind.linkedGroups[0], viewer, row);
}

/** Whether this standing is an owner's. */
export function isOwner(standing: Standing): boolean {
  return (standing & OWNER) !== 0;
}

/** Whether something with this scope is allowed on a row, given the viewer's standing there. */
export function covers(where: AccessScope, standing: Standing): boolean {
  return (where & standing) !== 0;
}

/** Whether the viewer may see this row at all. */
export function seesRow(kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  return allows(rowScope(kind, viewer), kind, viewer, row);
}

/** Whether the viewer may see `prop` on this row, which it may see. */
export function seesProp(prop: PropDef, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  return allows(viewScope(prop, kind, viewer), kind, viewer, row);
}

/** Whether something with this scope is allowed on this row. */
export function allows(where: AccessScope, kind: LinkedKind, viewer: Viewer, row: RowValues): boolean {
  if (where === EVERY_ROW || where === NO_ROW) return where === EVERY_ROW;
  return covers(where, standingOn(kind, viewer, row));
}

/** Refuses a list of a kind of which the viewer can never see a row. */
export function denyList(kind: LinkedKind, viewer: Viewer): ApiError | null {
  return rowScope(kind, viewer) === NO_ROW
    ? authorizationError(viewer, `You may not see records of kind ${kind.kind}.`)
    : null;
}

/** Refuses a write to a row: 404 when the viewer may not see it, else 401 or 403 unless it may change it. */
export function denyWrite(kind: LinkedKind, viewer: Viewer, row: RowValues | null): ApiError | null {
  if (row === null || !seesRow(kind, viewer, row)) return notFound();
  if (kind.readOnly) return authorizationError(viewer, `Records of kind ${kind.kind} can’t be changed.`);
  if (allows(writeScope(kind, viewer), kind, viewer, row)) return null;
  const who = kind.write.includes('owner') && kind.write.length === 1 ? 'Only owners may' : 'You may not';
  return authorizationError(viewer, `${who} change this ${kind.kind}.`);
}

/** The error for a viewer without the right: 401 without a session, otherwise 403. */
export function authorizationError(viewer: Viewer, message: string, prop: string | null = null): ApiError {
  return viewer.userId === null ? loginNeeded() : forbidden(message, prop);
}

/** The parts of a rule's SQL. */
export interface ScopeSql {
  /** The SQL of a rule's column. */
  column(rule: GroupRule): string;
  /** The placeholder of a value. The same name has the same placeholder throughout the statement. */
  parameter(name: string, value: () => unknown): string;
  /** SQL that is true where the user has a membership of the record in a column. */
  isMember(source: MembershipSource, column: string, user: string): string;
}

/** Up to this many record ids are sent as a parameter. For more, joining the memberships is faster. */
const MAX_IDS = 1000;

/**
 * A scope as SQL, for rows that are not loaded: true exactly where `allows` is true. Otherwise false or null, so never put
 * it under a NOT. The columns stand alone, so that their indexes can be used.
 */
export function scopeSql(where: AccessScope, kind: LinkedKind, viewer: Viewer, sql: ScopeSql): string {
  if (where & EVERY_ROW) return 'true';
  const groups = kind.linkedGroups.filter((_, index) => covers(where, OWNER << index));
  const rules = groups.flatMap((group) => group.rules).filter((rule) => applies(rule, viewer));
  const terms = new Set(rules.map((rule) => ruleSql(rule, viewer, sql)));
  return terms.size ? `(${[...terms].join(' OR ')})` : 'false';
}

function ruleSql(rule: GroupRule, viewer: Viewer, sql: ScopeSql): string {
  const column = sql.column(rule);
  const { role, membership } = rule;
  if (role !== null) return `${column} IS NOT NULL`;
  const user = () => sql.parameter('user', () => viewer.userId);
  if (!membership) return `${column} = ${user()}`;
  const records = viewer.memberships.records(membership);
  if (records.size > MAX_IDS && viewer.memberships.hasAll(membership))
    return sql.isMember(membership, column, user());
  const ids = sql.parameter(keyOfSource(membership), () => [...records]);
  return `${column} = ANY(${ids}::bigint[])`;
}

function isIn({ roles, rules }: Group, viewer: Viewer, row: RowValues): boolean {
  for (const role of roles) if (viewer.roles.has(role)) return true;
  return rules.some((rule) => {
    const value = row[rule.key];
    if (value === null || value === undefined || !applies(rule, viewer)) return false;
    if (rule.role !== null) return true;
    return rule.membership
      ? viewer.memberships.records(rule.membership).has(value as string)
      : value === viewer.userId;
  });
}

/** Whether the rule could ever put this viewer into its group, on any row. */
function applies(rule: GroupRule, viewer: Viewer): boolean {
  return rule.role === null ? viewer.userId !== null : viewer.roles.has(rule.role);
}
