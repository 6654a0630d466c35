import { ApiError, emptyBody, invalid, missing, type Warning } from '../../common/errors.js';
import { MAX_WARNINGS } from '../../http/warnings.js';
import { seesProp } from '../access/access.js';
import { couldSet, isViewer, ownerFor, denyNameParent, setsProp } from '../access/writing.js';
import { fold } from '../schema/formats.js';
import type { Ids } from '../ids/ids.js';
import type { LinkedKind, Parent } from '../schema/kind-graph.js';
import type { Option } from '../response/options.js';
import { columnOf, type PropDef } from '../schema/prop.js';
import { PROP_TYPES } from '../schema/prop-types.js';
import type { RecordEntity } from '../record.entity.js';
import type { Row, RowOf, ValuesOf } from '../row.js';
import { foldedColumn, oneForm } from '../schema/texts.js';
import type { Viewer } from '../../common/viewer.js';

/** The checked changes of a posted body. Services' hooks read it and may add columns to `values`. */
export interface ChangeSet {
  readonly viewer: Viewer;
  /** The row before an update; null on create. */
  readonly before: Row | null;
  /** The props that the body sets, also those with unchanged values. */
  readonly given: ReadonlySet<string>;
  /** Column → value to write. */
  readonly values: Map<string, unknown>;
  /** Values of writeOnly props. */
  readonly inputs: Map<string, string>;
  /** Added to `meta` of the response. */
  readonly meta: Record<string, unknown>;
  readonly warnings: Warning[];
  /** Props that the caller may not set, sent with the values that were read. A warning if the write changes them. */
  readonly asRead: PropDef[];
  readonly issues: ValidationIssue[];
}

/** A change set with the types that the entity declares. */
export interface ChangeSetOf<E extends RecordEntity> extends ChangeSet {
  readonly before: RowOf<E> | null;
  readonly values: ValuesOf<E>;
}

interface ValidationIssue {
  readonly prop: PropDef;
  readonly error: ApiError;
}

/**
 * Body → change set, prop by prop: checks types, formats and required props. Leaves out unknown props and props that the
 * caller may not edit, with a warning. Collects issues; `refuseIssues` throws them. Reads nothing else.
 */
export function changeSetOf<E extends RecordEntity>(
  body: unknown,
  kind: LinkedKind,
  viewer: Viewer,
  before: RowOf<E> | null,
  ids: Ids,
): ChangeSetOf<E> {
  // An object of props (body-parser.ts), or no body at all.
  if (typeof body !== 'object' || body === null) throw emptyBody();
  const given = new Map<string, unknown>(Object.entries(body));
  const taken = new Set<string>();
  const changeSet: ChangeSetOf<E> = {
    viewer,
    before,
    given: taken,
    values: new Map(),
    inputs: new Map(),
    meta: {},
    warnings: [],
    asRead: [],
    issues: [],
  };
  for (const name of given.keys()) {
    const warning = warningFor(name, kind, viewer, before);
    if (!warning) {
      taken.add(name);
      continue;
    }
    const prop = kind.byName.get(name);
    if (prop && before && isAsRead(prop, given.get(name), kind, viewer, before, ids))
      changeSet.asRead.push(prop);
    else if (changeSet.warnings.length < MAX_WARNINGS) changeSet.warnings.push(warning);
    given.delete(name);
  }
  for (const prop of kind.props) {
    try {
      if (given.has(prop.name)) take(prop, given.get(prop.name), changeSet, ids);
      else if (!before) fillIn(prop, kind, changeSet);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      changeSet.issues.push({ prop, error });
    }
  }
  return changeSet;
}

/** Lookups for `checkOutside`. */
export interface AssignLookups {
  /** The parent's row, locked against deletion until the transaction ends; null when it does not exist. */
  readonly parentRow: (parent: Parent, id: string) => Promise<Row | null>;
  /** The error of the parent's kind for being named by this relation; null for none. */
  readonly parentRefusal: (parent: Parent, row: Row) => ApiError | null;
  readonly optionList: (name: string) => Promise<readonly Option[]>;
}

/** Whether `checkOutside` has anything to check. */
function asksOutside(changeSet: ChangeSet, kind: LinkedKind): boolean {
  return newParents(changeSet, kind).length > 0 || newOptions(changeSet, kind).length > 0;
}

/** Whether `checkOutside` would check only the caller itself, whose session was just verified. */
export function asksForCaller(changeSet: ChangeSet, kind: LinkedKind): boolean {
  return (
    newParents(changeSet, kind).every(({ parent, id }) => isViewer(parent.kind, id, changeSet.viewer)) &&
    newOptions(changeSet, kind).length === 0
  );
}

/** Checks what needs data outside of the body: the rights on new parents, and dynamic option lists. */
export async function checkOutside(
  changeSet: ChangeSet,
  kind: LinkedKind,
  lookups: AssignLookups,
): Promise<void> {
  for (const { parent, id } of newParents(changeSet, kind)) {
    const row = await lookups.parentRow(parent, id);
    const error =
      denyNameParent(parent, id, changeSet.viewer, row) ?? (row && lookups.parentRefusal(parent, row));
    if (error) changeSet.issues.push({ prop: parent.prop, error });
  }
  for (const { prop, name, value } of newOptions(changeSet, kind)) {
    const options = await lookups.optionList(name);
    if (options.some((option) => oneForm(option.value) === value)) continue;
    changeSet.issues.push({
      prop,
      error: invalid(prop.name, `${prop.name} must be one of the listed options.`),
    });
  }
}

/** The parents that the change set newly names. */
function newParents(changeSet: ChangeSet, kind: LinkedKind): { parent: Parent; id: string }[] {
  return [...kind.parents.values()].flatMap((parent) => {
    const column = columnOf(parent.prop);
    const id = changeSet.values.get(column);
    return typeof id === 'string' && changeSet.before?.[column] !== id ? [{ parent, id }] : [];
  });
}

/** The values that must stand in a dynamic option list. */
function newOptions(
  changeSet: ChangeSet,
  kind: LinkedKind,
): { prop: PropDef; name: string; value: unknown }[] {
  return kind.props.flatMap((prop) => {
    const value = changeSet.values.get(columnOf(prop));
    return prop.options && value !== undefined && value !== null ? [{ prop, name: prop.options, value }] : [];
  });
}

/** Throws the first issue in order of declaration. The others become warnings. */
export function refuseIssues(changeSet: ChangeSet, kind: LinkedKind): void {
  const order = (fault: ValidationIssue) => kind.props.indexOf(fault.prop);
  const [first, ...others] = [...changeSet.issues].sort((a, b) => order(a) - order(b));
  if (!first) return;
  const also = others.map(({ error }) => ({ code: error.code, message: error.message, data: error.data }));
  const { error } = first;
  throw new ApiError(error.kind, error.message, error.data, {
    ...error.extra,
    warnings: [...changeSet.warnings, ...also],
  });
}

/** The same before any lookup, unless `checkOutside` may find an earlier issue. */
export function refuseEarly(changeSet: ChangeSet, kind: LinkedKind): void {
  if (changeSet.issues.length && !asksOutside(changeSet, kind)) refuseIssues(changeSet, kind);
}

/** The change set without unchanged values, so that `updatedAt` rises only with real changes. */
export function dropUnchanged(changeSet: ChangeSet, kind: LinkedKind): ChangeSet {
  const { before } = changeSet;
  const values = new Map(changeSet.values);
  for (const prop of before ? kind.props : []) {
    const column = columnOf(prop);
    if (!values.has(column)) continue;
    const value = values.get(column);
    const old = before?.[column];
    if (!(prop.type === 'json' ? sameJson(old, value) : same(old, value))) continue;
    values.delete(column);
    values.delete(foldedColumn(column));
  }
  return { ...changeSet, values };
}

function warningFor(name: string, kind: LinkedKind, viewer: Viewer, before: Row | null): Warning | null {
  const prop = kind.byName.get(name);
  if (!prop) return { code: 400, message: 'This prop is unknown and was ignored.', data: name };
  if (setsProp(prop, kind, viewer, before)) return null;
  return notSet(name);
}

const notSet = (name: string): Warning => ({
  code: 403,
  message: `You may not set ${name}; it was left unchanged.`,
  data: name,
});

/** The warnings after a write: values that were sent as they were read may have been changed by a hook. */
export function warningsAfter(changeSet: ChangeSet, before: Row, row: Row): Warning[] {
  const moved = changeSet.asRead.filter((prop) => {
    const column = columnOf(prop);
    // Every write updates the times that it sets itself.
    return prop.type !== 'date' && prop.type !== 'json' && before[column] !== row[column];
  });
  return [
    ...changeSet.warnings,
    ...moved.map(({ name }) => ({ ...notSet(name), message: `You may not set ${name}.` })),
  ];
}

/**
 * Whether the value is the one that the caller was shown: a record that is sent back as it was read changes nothing. A prop
 * that the caller may not see on this row is never compared.
 */
function isAsRead(
  prop: PropDef,
  value: unknown,
  kind: LinkedKind,
  viewer: Viewer,
  row: Row,
  ids: Ids,
): boolean {
  if (prop.type === 'virtual' || !seesProp(prop, kind, viewer, row)) return false;
  const now = shown(prop, row, ids) ?? null;
  return now === value || (prop.type === 'json' && now !== null && sameJson(now, JSON.stringify(value)));
}

/** The value as shown in `props`; undefined if it can't be shown. */
function shown(prop: PropDef, row: Row, ids: Ids): unknown {
  const stored = row[columnOf(prop)] ?? null;
  if (prop.type === 'id' && typeof stored === 'string') return ids.encode(prop.idOf ?? '', stored);
  return PROP_TYPES[prop.type].output(prop)(stored);
}

function take(prop: PropDef, value: unknown, changeSet: ChangeSet, ids: Ids): void {
  // What the record holds already is not judged again: a rule may be younger than the record.
  if (
    prop.type === 'string' &&
    !prop.writeOnly &&
    value !== '' &&
    changeSet.before?.[columnOf(prop)] === value
  ) {
    put(prop, value, changeSet);
    return;
  }
  // An empty text is none, for all rules alike: required, unique, and whether there is one.
  const isEmpty = value === '' && (prop.required === true || prop.type === 'string');
  if (value === null || value === undefined || isEmpty) {
    // As it was read: what can't be shown stands as null.
    if (
      value === null &&
      prop.required &&
      changeSet.before &&
      !prop.writeOnly &&
      shown(prop, changeSet.before, ids) === undefined
    )
      return;
    if (prop.required) throw missing(prop.name);
    if (!prop.writeOnly) put(prop, null, changeSet);
    return;
  }
  const parsed = PROP_TYPES[prop.type].parse(value, prop, ids);
  if (prop.writeOnly) changeSet.inputs.set(prop.name, String(parsed));
  else put(prop, parsed, changeSet);
}

/** Sets a prop that a create leaves out to its default, or to the creator if it holds the owner. */
function fillIn(prop: PropDef, kind: LinkedKind, changeSet: ChangeSet): void {
  const owner = ownerFor(prop, kind, changeSet.viewer);
  if (owner !== null) {
    put(prop, owner, changeSet);
  } else if (prop.default !== undefined && prop.default !== '') {
    put(prop, prop.default, changeSet);
  } else if (prop.required && couldSet(prop, kind, changeSet.viewer)) {
    throw missing(prop.name);
  }
}

function put(prop: PropDef, value: unknown, changeSet: ChangeSet): void {
  const column = columnOf(prop);
  changeSet.values.set(column, value);
  if (prop.uniqueCaseInsensitive) {
    changeSet.values.set(foldedColumn(column), typeof value === 'string' ? fold(value) : null);
  }
}

function same(old: unknown, value: unknown): boolean {
  return old === value || (typeof old === 'string' && typeof value === 'number' && old === String(value));
}

/** jsonb does not preserve the order of keys, so another order is not a change. */
function sameJson(old: unknown, text: unknown): boolean {
  if (old === null || typeof text !== 'string') return old === text;
  return JSON.stringify(sorted(old)) === JSON.stringify(sorted(JSON.parse(text) as unknown));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
