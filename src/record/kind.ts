import { StartupError } from '../config/startup-error.js';
import { checkKind } from './kind-checks.js';
import { type PropDef, type Who, declaredProps } from './prop.js';
import type { RecordEntity } from './record.entity.js';
import { mapToTable } from './table.js';

export type EntityClass<T extends RecordEntity = RecordEntity> = abstract new () => T;

/** What a kind's author declares beside the props (interface.md "Kind-level attributes", and `path`, `view`, `create`). */
export interface KindOptions {
  /** Unique name, as in `meta.kind` and in relations. */
  readonly kind: string;
  /** Plural path segment; also the table's name. */
  readonly path: string;
  /** What its records are, in Markdown: for the API's description. */
  readonly description?: string;
  /** Who owns a record: `$prop` (a parent relation to the user kind), `$id` (user kind only), a role, `^relation`. */
  readonly owner: readonly string[];
  /** Who may see the rows. Default: everyone. */
  readonly view?: Who;
  /** Who may create: `public`, `owner` (any logged-in user, who then owns it), roles; empty is nobody. Default: owner. */
  readonly create?: Who;
  /** Changes to the declarations of id, createdAt and updatedAt. */
  readonly base?: {
    readonly id?: Pick<PropDef, 'filterQualifier' | 'allowRealPubicId'>;
    readonly createdAt?: Pick<PropDef, 'filterQualifier'>;
    readonly updatedAt?: Pick<PropDef, 'filterQualifier'>;
  };
  /** True: nobody updates or deletes records over the API, not even owners; only the service's own code does. */
  readonly readOnly?: boolean;
  /** False: the kind has a controller of its own instead of the generic routes, and is in no list. */
  readonly generic?: boolean;
}

/** A kind, frozen: the declaration with its defaults filled in. */
export interface KindDef {
  readonly kind: string;
  readonly path: string;
  readonly description: string;
  readonly owner: readonly string[];
  readonly view: Who;
  readonly create: Who;
  readonly readOnly: boolean;
  readonly generic: boolean;
  /** Base props first, then in order of declaration. */
  readonly props: readonly PropDef[];
  readonly entity: EntityClass;
}

const BASE_PROPS: readonly PropDef[] = [
  { type: 'id', name: 'id', required: true, view: ['public'], edit: [] },
  { type: 'date', name: 'createdAt', required: true, view: ['public'], edit: [], filterRange: true },
  { type: 'date', name: 'updatedAt', required: true, view: ['public'], edit: [], filterRange: true },
];

const registered = new Map<object, KindDef>();

/**
 * Makes a class that extends RecordEntity a kind: freezes the declaration, checks it, maps it to a table.
 * @throws StartupError naming kind, prop and the mend, which stops the boot.
 */
export function Kind(options: KindOptions) {
  return (entity: EntityClass): void => {
    const base = BASE_PROPS.map((prop) => ({ ...prop, ...baseOverride(options, prop.name) }));
    const def: KindDef = Object.freeze({
      kind: options.kind,
      path: options.path,
      description: options.description ?? '',
      owner: options.owner,
      view: options.view ?? ['public'],
      create: options.create ?? ['owner'],
      readOnly: options.readOnly ?? false,
      generic: options.generic ?? true,
      props: Object.freeze([...base, ...declaredProps(entity)]),
      entity,
    });
    checkKind(def);
    mapToTable(def, (kind) => registeredKinds().find((other) => other.kind === kind)?.entity);
    registered.set(entity, def);
  };
}

/** The declaration of a kind's class. */
export function kindOf(entity: EntityClass): KindDef {
  const def = registered.get(entity);
  if (!def) throw new StartupError(`${entity.name} is not a kind: decorate the class with @Kind({ … }).`);
  return def;
}

/** All kinds whose modules have been loaded, in order of loading. */
export function registeredKinds(): readonly KindDef[] {
  return [...registered.values()];
}

function baseOverride(options: KindOptions, name: string): Partial<PropDef> {
  if (name === 'id') return { ...options.base?.id, idOf: options.kind };
  return (name === 'createdAt' ? options.base?.createdAt : options.base?.updatedAt) ?? {};
}
