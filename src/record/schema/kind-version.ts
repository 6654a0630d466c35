import { getMetadataArgsStorage } from 'typeorm';
import { StartupError } from '../../common/startup-error.js';
import { versionNumber } from '../../common/api-path.js';
import { entityOf, isKind, isStored, kindOf, register, registerColumn, tableOf } from './kind.js';
import type { EntityClass, KindDef, KindOptions } from './kind-def.js';
import { checkKind } from './kind-checks.js';
import { columnOf, declaredProps, type PropDef } from './prop.js';
import { mapToColumn } from './table.js';

/*
 * A kind in a later version of the API: other props and other access, but the same records with the same ids. It has no
 * table. Its class extends that of the previous version and declares the differences. A prop with the same name or column
 * replaces the previous one. A new prop gets a column in the kind's table, which earlier versions neither show nor set.
 * Rows have all columns, whatever a version shows, so that hooks written for the previous version still work.
 */

/** What a later version changes beside props: any attribute except the kind's name, which its ids depend on. */
export interface KindChanges extends Partial<Omit<KindOptions, 'kind' | 'version'>> {
  /** Props that this version does not have. */
  readonly without?: readonly string[];
}

/**
 * Makes a class that extends a kind that kind in `version` of the API.
 * @throws StartupError naming kind, prop and the fix, which stops the boot.
 */
export function KindVersion(version: string, changes: KindChanges = {}) {
  return (entity: EntityClass): void => {
    const parent: unknown = Object.getPrototypeOf(entity);
    if (typeof parent !== 'function' || !isKind(parent)) {
      throw new StartupError(`${entity.name} is no version of a kind: let it extend the class of one.`);
    }
    const before = kindOf(parent);
    const fail = failOf(before.kind, version);
    if (versionNumber(version) <= versionNumber(before.version))
      fail(`${version} does not come after ${before.version}, which it extends.`);
    const { without = [], base, ...attributes } = changes;
    const table = tableOf(before);
    const own = declaredProps(entity).map((prop) =>
      settled(prop, before, table, failOf(before.kind, version, prop)),
    );
    const props = merged(before, base, without, own, fail);
    const added = own.filter((prop) => isStored(prop) && !isIn(before.columns, columnOf(prop)));
    const def: KindDef = Object.freeze({
      ...before,
      ...attributes,
      props: Object.freeze(props),
      entity,
      version,
      columns: Object.freeze([...before.columns, ...added]),
      storedAs: table.entity,
    });
    checkKind(def);
    checkCreates(def, table, fail);
    checkUnique(def, table);
    for (const prop of props) addColumn(prop, table);
    register(def);
  };
}

/** Assigns a prop to a column that can store it. */
function settled(prop: PropDef, before: KindDef, table: KindDef, fail: Fail): PropDef {
  if (BASE_PROPS.has(prop.name) || BASE_PROPS.has(columnOf(prop)))
    fail('every version has id, createdAt and updatedAt as they are: what may change stands in base.');
  if (!isStored(prop)) return prop;
  const column = columnOf(prop);
  const there = table.columns.find((one) => columnOf(one) === column);
  const isBare = bareColumns(table.entity).has(column);
  if (prop.column !== undefined && !there && !isBare)
    fail(`there is no column "${column}" in ${table.table}; without "column" it gets one of its own.`);
  if (there && prop.column === undefined && !before.props.some((one) => one.name === prop.name))
    fail(
      `"${column}" is the column of a prop that ${before.version} does not have: take another name, or column: '${column}' to show it again.`,
    );
  if (there) checkHolds(prop, there, fail);
  else if (isBare && prop.column === undefined)
    fail(
      `"${column}" is a column of the service alone: take another name, or column: '${column}' to show it.`,
    );
  else if (!isBare && prop.required && prop.default === undefined)
    fail('versions before do not set it, so it needs a default, or must not be required.');
  return Object.freeze({ ...prop, column });
}

/** Checks that the prop keeps the rules of its column, which other versions rely on. */
function checkHolds(prop: PropDef, there: PropDef, fail: Fail): void {
  const isSame = (what: keyof PropDef) => JSON.stringify(prop[what]) === JSON.stringify(there[what]);
  const where = `the column "${columnOf(there)}"`;
  if (!isSame('type')) fail(`${where} is of type ${there.type}: take that, or a column of its own.`);
  if (prop.required !== true && there.required === true) fail(`${where} is never null: it must be required.`);
  if ((prop.length ?? 0) > (there.length ?? 0)) fail(`${where} holds ${there.length} characters at most.`);
  if (!prop.options && !isSame('enums'))
    fail(`${where} takes other enums: take those, or a column of its own.`);
  for (const what of ['unique', 'uniqueCaseInsensitive'] as const)
    if (!isSame(what)) fail(`${what} must be as for ${there.name}: it holds for the column.`);
  if (prop.idOf !== there.idOf || prop.relation?.type !== there.relation?.type)
    fail(`${where} names records of kind ${there.idOf ?? 'none'}.`);
  if (
    prop.relation?.type === 'parent' &&
    there.relation?.type === 'parent' &&
    prop.relation.onDelete !== there.relation.onDelete
  )
    fail(`onDelete must be ${there.relation.onDelete}: it holds for the column.`);
}

/** The previous version's props without removed ones, with changed ones in their places and new ones at the end. */
function merged(
  before: KindDef,
  base: KindChanges['base'],
  without: readonly string[],
  own: readonly PropDef[],
  fail: Fail,
): PropDef[] {
  for (const name of without) {
    if (BASE_PROPS.has(name)) fail(`every version has ${name}: take it out of without.`);
    if (!before.props.some((prop) => prop.name === name))
      fail(`without names ${name}, which ${before.version} does not have.`);
    if (own.some((prop) => prop.name === name)) fail(`without names ${name}, which is declared here again.`);
  }
  const columns = own.filter(isStored).map(columnOf);
  const twice = columns.find((column, i) => columns.indexOf(column) !== i);
  if (twice !== undefined) fail(`two props have the column "${twice}": leave one of them.`);
  const replaces = (prop: PropDef, old: PropDef) =>
    prop.name === old.name || (isStored(prop) && isStored(old) && columnOf(prop) === columnOf(old));
  const placed = new Set<PropDef>();
  const kept = before.props.flatMap((old): PropDef[] => {
    const fresh = own.filter((prop) => !placed.has(prop) && replaces(prop, old));
    fresh.forEach((prop) => placed.add(prop));
    if (fresh.length || own.some((prop) => replaces(prop, old))) return fresh;
    if (without.includes(old.name)) return [];
    return [{ ...old, ...base?.[old.name as keyof typeof base] }];
  });
  return [...kept, ...own.filter((prop) => !placed.has(prop))];
}

/** Checks that a create can set all required columns of the table. */
function checkCreates({ create, props }: KindDef, table: KindDef, fail: Fail): void {
  if (!create.length) return;
  const needs = table.columns.find(
    (one) =>
      one.required === true &&
      one.default === undefined &&
      one.edit.length > 0 &&
      !isIn(props, columnOf(one)),
  );
  if (!needs) return;
  fail(
    `a create needs ${needs.name}: keep the prop, with view: [] and edit: [] if the service sets it, or let create be [].`,
  );
}

/** A unique rule is an index of the table, so it must be the same columns in all versions. */
function checkUnique({ kind, version, props }: KindDef, table: KindDef): void {
  const columnsOf = (prop: PropDef, all: readonly PropDef[]) =>
    (prop.uniqueQualifiers ?? []).map((name) => columnOf(all.find((one) => one.name === name) ?? prop));
  for (const prop of props) {
    if (!prop.unique || !isStored(prop)) continue;
    const there = table.columns.find((one) => columnOf(one) === columnOf(prop));
    const wanted = there ? columnsOf(there, table.columns) : (prop.uniqueQualifiers ?? []);
    if (columnsOf(prop, props).join() === wanted.join()) continue;
    failOf(
      kind,
      version,
      prop,
    )(
      there
        ? `uniqueQualifiers must be the props of these columns: ${wanted.join(', ') || 'none'}.`
        : 'uniqueQualifiers can name no prop that this version renames.',
    );
  }
}

/** Registers the column for a prop of this version. */
function addColumn(prop: PropDef, table: KindDef): void {
  if (!isStored(prop)) return;
  const column = columnOf(prop);
  const there = table.columns.find((one) => columnOf(one) === column);
  if (!there && !bareColumns(table.entity).has(column)) {
    mapToColumn(table.entity, table.table, prop, entityOf);
    registerColumn(table.entity, column, prop);
  } else if (there && prop.filterQuery && !there.filterQuery) {
    registerColumn(table.entity, column, Object.freeze({ ...there, filterQuery: true }));
  }
}

/** The columns that are not props of the class with the table. */
function bareColumns(entity: EntityClass): Set<string> {
  const columns = getMetadataArgsStorage().columns.filter(({ target }) => target === entity);
  return new Set(columns.map(({ propertyName, options }) => options.name ?? propertyName));
}

const isIn = (props: readonly PropDef[], column: string) =>
  props.some((prop) => isStored(prop) && columnOf(prop) === column);

const BASE_PROPS = new Set(['id', 'createdAt', 'updatedAt']);

type Fail = (fix: string) => void;

function failOf(kind: string, version: string, prop?: PropDef): Fail {
  return (fix) => {
    throw new StartupError(`Kind ${kind} in ${version}: ${prop ? `prop ${prop.name}: ` : ''}${fix}`);
  };
}
