import { neverLog } from '../../common/redaction.js';
import { StartupError } from '../../common/startup-error.js';
import { FIRST_VERSION, versionNumber } from '../../common/api-path.js';
import { checkKind } from './kind-checks.js';
import type { EntityClass, KindDef, KindOptions } from './kind-def.js';
import { type PropDef, declaredProps, withRealId } from './prop.js';
import { PROP_TYPES } from './prop-types.js';
import { mapToTable } from './table.js';

const BASE_PROPS: readonly PropDef[] = [
  { type: 'id', name: 'id', required: true, view: ['public'], edit: [], filterQualifier: true },
  { type: 'date', name: 'createdAt', required: true, view: ['public'], edit: [], filterRange: true },
  { type: 'date', name: 'updatedAt', required: true, view: ['public'], edit: [], filterRange: true },
];

const registered = new Map<object, KindDef>();
/** Class with a table → column → the prop that only a later version of the kind has there. */
const later = new Map<object, Map<string, PropDef>>();

/**
 * Makes a class that extends RecordEntity a kind: freezes the declaration, checks it, maps it to a table.
 * @throws StartupError naming kind, prop and the fix, which stops the boot.
 */
export function Kind(options: KindOptions) {
  return (entity: EntityClass): void => {
    const base = BASE_PROPS.map((prop) => ({ ...prop, ...baseOverride(options, prop.name) }));
    const props = Object.freeze([...base, ...declaredProps(entity)]);
    const def: KindDef = Object.freeze({
      kind: options.kind,
      path: options.path,
      description: options.description ?? '',
      owner: options.owner,
      groups: options.groups ?? {},
      view: options.view,
      create: options.create,
      write: options.write ?? ['owner'],
      membership: options.membership ?? null,
      readOnly: options.readOnly ?? false,
      generic: options.generic ?? true,
      maxPerUser: options.maxPerUser ?? null,
      props,
      entity,
      version: options.version ?? FIRST_VERSION,
      table: options.path,
      columns: Object.freeze(props.filter(isStored)),
      storedAs: null,
    });
    checkKind(def);
    checkTable(def);
    mapToTable(def, entityOf);
    register(def);
  };
}

/** Refuses a name or table of another version's kind. Kinds of the same version are compared when they are linked. */
function checkTable({ kind, path, version }: KindDef): void {
  const tables = [...registered.values()].filter((one) => one.storedAs === null && one.version !== version);
  const twin = tables.find((one) => one.kind === kind || one.table === path);
  if (!twin) return;
  const what = twin.kind === kind ? `Kind ${kind}` : `Path ${path}`;
  throw new StartupError(
    `${what} is in ${twin.version} too: choose another, or let the class extend ${twin.entity.name} as a @KindVersion.`,
  );
}

/** Whether a prop has a column. */
export function isStored(prop: PropDef): boolean {
  return PROP_TYPES[prop.type].column(prop) !== null;
}

/** The class with the table of a kind, by the kind's name. */
export function entityOf(kind: string): EntityClass | undefined {
  return [...registered.values()].find((one) => one.kind === kind && one.storedAs === null)?.entity;
}

/** For the decorators that make kinds. */
export function register(def: KindDef): void {
  registered.set(def.entity, def);
  for (const { name, writeOnly } of def.props) if (writeOnly) neverLog(name);
}

/** Registers a column that only a later version of the kind declares, or searches in. */
export function registerColumn(entity: EntityClass, column: string, prop: PropDef): void {
  later.set(entity, (later.get(entity) ?? new Map<string, PropDef>()).set(column, prop));
}

/** The declaration of a kind's class. */
export function kindOf(entity: EntityClass): KindDef {
  const def = registered.get(entity);
  if (!def) throw new StartupError(`${entity.name} is not a kind: decorate the class with @Kind({ … }).`);
  return def;
}

/** Whether a class is a kind. */
export function isKind(entity: object): entity is EntityClass {
  return registered.has(entity);
}

/**
 * The kinds for the schema of the database: the loaded kinds with a table, in order of loading, each with the columns that
 * later versions add.
 */
export function registeredKinds(): readonly KindDef[] {
  return [...registered.values()].filter((def) => def.storedAs === null).map(withLater);
}

/** The kind with the table of a kind, with the columns that all versions have added. */
export function tableOf(def: KindDef): KindDef {
  return withLater(kindOf(def.storedAs ?? def.entity));
}

/** The versions of the API that the loaded kinds belong to, oldest first. */
export function registeredVersions(): readonly string[] {
  const versions = new Set([...registered.values()].map(({ version }) => version));
  return [...versions].sort((a, b) => versionNumber(a) - versionNumber(b));
}

/** The kinds of a version of the API, as that version declares them. */
export function kindsOf(version: string): readonly KindDef[] {
  return [...registered.values()].filter((def) => def.version === version);
}

function withLater(def: KindDef): KindDef {
  const added = later.get(def.entity);
  if (!added) return def;
  const merge = (props: readonly PropDef[]) => {
    const own = props.map((prop) => added.get(prop.name) ?? prop);
    return [
      ...own,
      ...[...added].filter(([name]) => !props.some((prop) => prop.name === name)).map(([, prop]) => prop),
    ];
  };
  return { ...def, props: merge(def.props), columns: merge(def.columns) };
}

function baseOverride(options: KindOptions, name: string): Partial<PropDef> {
  if (name === 'id') return { ...withRealId(options.base?.id ?? {}), idOf: options.kind };
  return (name === 'createdAt' ? options.base?.createdAt : options.base?.updatedAt) ?? {};
}
