import type { Format } from './formats.js';

/** The eight prop types of the contract. */
export type PropTypeName = 'boolean' | 'int' | 'date' | 'enum' | 'id' | 'string' | 'json' | 'virtual';

/**
 * Who may do something with a prop, a row or a kind: `public`, `owner`, or the name of a role (a boolean prop of
 * the user kind). An empty list is nobody.
 */
export type Who = readonly string[];

/** The effect of a parent's deletion: delete the record too, refuse the deletion, or clear the relation. */
export type OnDelete = 'cascade' | 'restrict' | 'null';

/** A relation to one record of another kind, whose id the prop holds. */
export interface ParentRelation {
  readonly type: 'parent';
  /** Singular noun: the path segment, link name and `includeRelated` name. */
  readonly name: string;
  readonly kind: string;
  readonly onDelete: OnDelete;
  /** Who may name a parent: `owner`, and groups and roles of the parent's kind. Default: `owner`. */
  readonly attach?: Who;
  /** True: whoever sees a parent may name it. */
  readonly skipOwnerCheck?: boolean;
  /** Only for a parent of the file kind: lower-case extensions without the dot. */
  readonly acceptedFileExtensions?: readonly string[];
}

/** A relation to the records of another kind that point here. */
export interface ChildRelation {
  readonly type: 'child';
  /** Plural noun: the path segment and link name. */
  readonly name: string;
  readonly kind: string;
  /** The child's parent prop that points here; needed only when it has several. */
  readonly via?: string;
}

/** One prop of a kind, as declared. Everything else about the prop is a function of this object. */
export interface PropDef {
  readonly type: PropTypeName;
  readonly name: string;
  readonly view: Who;
  readonly edit: Who;
  readonly required?: boolean;
  readonly default?: string | number | boolean;
  readonly enums?: readonly (string | boolean)[];
  readonly enumLabels?: readonly string[];
  /** Strings: the maximum number of characters (Unicode code points). */
  readonly length?: number;
  /** Strings: the minimum number of characters. */
  readonly minLength?: number;
  /** Ints: inclusive bounds; by default the integers that JSON numbers hold exactly (±2^53−1). */
  readonly min?: number;
  readonly max?: number;
  readonly unique?: boolean;
  readonly uniqueQualifiers?: readonly string[];
  /** With `unique` on a string: texts that differ only in case or Unicode form (NFKC) are the same. */
  readonly uniqueCaseInsensitive?: boolean;
  readonly filterQuery?: boolean;
  readonly filterQualifier?: boolean;
  readonly filterRange?: boolean;
  /** Ids: the kind whose records they name. */
  readonly idOf?: string;
  /** Filters also accept the integer id. This is the contract's spelling; declarations may also use `allowRealPublicId`. */
  readonly allowRealPubicId?: boolean;
  readonly autoUpdate?: boolean;
  readonly noSetAll?: boolean;
  /** `edit` applies only to the create. Later nobody can set the prop. */
  readonly createOnly?: boolean;
  /** `edit` applies only to changes. A create does not accept the prop. */
  readonly updateOnly?: boolean;
  /** Name of an option list that the kind's service provides; posted values must be in it. */
  readonly options?: string;
  readonly relation?: ParentRelation | ChildRelation;
  readonly format?: Format;
  /** The meaning of the prop in Markdown, for the API's description. */
  readonly description?: string;
  /** A value that a body may have, for the API's description. */
  readonly example?: string | number;
  /** The previous name of the prop: `npm run migration:generate` renames its column instead of dropping it. */
  readonly renamedFrom?: string;
  /** The column, if its name differs from the prop's because a later version of the kind has renamed it. */
  readonly column?: string;
  /** Strings: accepted in bodies and passed to the service's hooks, never stored as such and never readable. */
  readonly writeOnly?: boolean;
}

type Common = Pick<
  PropDef,
  | 'view'
  | 'edit'
  | 'required'
  | 'noSetAll'
  | 'createOnly'
  | 'updateOnly'
  | 'description'
  | 'renamedFrom'
  | 'column'
>;
type Unique = Pick<PropDef, 'unique' | 'uniqueQualifiers'>;
type Given<T> = Readonly<T>;

/** The name of a prop in the database, and so in a Row and in the values of a write. */
export const columnOf = (prop: Pick<PropDef, 'name' | 'column'>): string => prop.column ?? prop.name;

const DECLARED = Symbol('kindred:props');

/** The props that a class declares itself, in order of declaration. */
export function declaredProps(target: object): readonly PropDef[] {
  return (Reflect.getOwnMetadata(DECLARED, target) as PropDef[] | undefined) ?? [];
}

function declare(options: Omit<PropDef, 'name'>): PropertyDecorator {
  return (prototype, key) => {
    const props = [...declaredProps(prototype.constructor), Object.freeze({ ...options, name: String(key) })];
    Reflect.defineMetadata(DECLARED, props, prototype.constructor);
  };
}

/** Whether filters also accept the integer id, in both spellings. */
export type RealId = Pick<PropDef, 'allowRealPubicId'> & { readonly allowRealPublicId?: boolean };

/** A declaration with the spelling that the engine reads. */
export function withRealId<T extends RealId>(declared: T): Omit<T, 'allowRealPublicId'> {
  const { allowRealPublicId, ...rest } = declared;
  return allowRealPublicId === undefined ? rest : { ...rest, allowRealPubicId: allowRealPublicId };
}

/**
 * Declares a prop of a kind. `view` and `edit` have no default: leaving one out does not compile.
 * PropDef describes the attributes. @Kind checks them and creates the column.
 */
export const Prop = {
  string: (
    o: Given<
      Common &
        Unique &
        Pick<
          PropDef,
          | 'minLength'
          | 'uniqueCaseInsensitive'
          | 'filterQuery'
          | 'filterQualifier'
          | 'options'
          | 'format'
          | 'writeOnly'
        > & { length: number; default?: string; example?: string }
    >,
  ) => declare({ type: 'string', ...o }),

  int: (
    o: Given<
      Common &
        Unique &
        Pick<PropDef, 'min' | 'max' | 'filterQualifier' | 'filterRange'> & {
          default?: number;
          example?: number;
        }
    >,
  ) => declare({ type: 'int', ...o }),

  boolean: (
    o: Given<
      Common & Pick<PropDef, 'filterQualifier'> & { enumLabels: readonly [string, string]; default?: boolean }
    >,
  ) => declare({ type: 'boolean', enums: [false, true], ...o }),

  date: (o: Given<Common & Unique & Pick<PropDef, 'filterQualifier' | 'filterRange' | 'autoUpdate'>>) =>
    declare({ type: 'date', ...o }),

  enum: (
    o: Given<
      Common &
        Unique &
        Pick<PropDef, 'filterQuery' | 'filterQualifier' | 'options'> & {
          enums: readonly string[];
          enumLabels: readonly string[];
          default?: string;
        }
    >,
  ) => declare({ type: 'enum', ...o }),

  json: (o: Given<Common>) => declare({ type: 'json', ...o }),

  /** A parent relation (N:1): an `id` prop that holds the parent's id. */
  parent: (
    o: Given<Common & Unique & Pick<PropDef, 'filterQualifier'> & RealId & Omit<ParentRelation, 'type'>>,
  ) => {
    const { name, kind, onDelete, attach, skipOwnerCheck, acceptedFileExtensions, ...rest } = withRealId(o);
    const relation: ParentRelation = {
      type: 'parent',
      name,
      kind,
      onDelete,
      attach,
      skipOwnerCheck,
      acceptedFileExtensions,
    };
    return declare({ type: 'id', idOf: kind, filterQualifier: true, ...rest, relation });
  },

  /** A child relation (1:N): no column; the records whose parent prop points here. */
  children: (o: Given<Pick<PropDef, 'view' | 'description'> & Omit<ChildRelation, 'type'>>) => {
    const { view, description, ...relation } = o;
    return declare({
      type: 'virtual',
      view,
      description,
      edit: [],
      relation: { type: 'child', ...relation },
    });
  },
};
