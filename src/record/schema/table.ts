import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { foldedLength } from './formats.js';
import type { EntityClass, KindDef } from './kind-def.js';
import type { OnDelete, PropDef } from './prop.js';
import { PROP_TYPES } from './prop-types.js';
import { BYTES, foldedColumn, type SearchColumn, searchColumnOf } from './texts.js';

/*
 * Maps a kind to a table with TypeORM's decorators, so that migrations also come from the declaration. Constraints have
 * names of our own, from which errors find the prop.
 */

export { foldedColumn };

const ON_DELETE = { cascade: 'CASCADE', restrict: 'RESTRICT', null: 'SET NULL' } as const satisfies Record<
  OnDelete,
  string
>;

/** Finds the class with the table of a kind. Called lazily, because that class may be loaded later. */
type EntityOf = (kind: string) => EntityClass | undefined;

/** Applies TypeORM's @Entity, @Column, @Index and @ForeignKey to the kind's class. */
export function mapToTable({ entity, path, props }: KindDef, entityOf: EntityOf): void {
  Entity({ name: path })(entity);
  Index(`ix_${path}_createdAt`, ['createdAt', 'id'])(entity);
  for (const prop of props) mapToColumn(entity, path, prop, entityOf);
}

/** The same for one prop; for the class with the table `path`, whichever version of the kind has the prop. */
export function mapToColumn(entity: EntityClass, path: string, prop: PropDef, entityOf: EntityOf): void {
  const prototype = entity.prototype as object;
  const column = ['id', 'createdAt', 'updatedAt'].includes(prop.name)
    ? null
    : PROP_TYPES[prop.type].column(prop);
  if (column)
    Column({ ...column, nullable: !prop.required, comment: rulesComment(prop) })(prototype, prop.name);
  if (prop.uniqueCaseInsensitive) {
    const length = foldedLength(prop.length ?? 1);
    const own = { type: 'varchar', length, collation: BYTES } as const;
    Column({ ...own, nullable: !prop.required, select: false })(prototype, foldedColumn(prop.name));
  }
  if (prop.unique) {
    const own = prop.uniqueCaseInsensitive ? foldedColumn(prop.name) : prop.name;
    Index(`uq_${path}_${prop.name}`, [...(prop.uniqueQualifiers ?? []), own], { unique: true })(entity);
  }
  const relation = prop.relation;
  if (relation?.type === 'parent') {
    Index(`ix_${path}_${prop.name}`, [prop.name, 'createdAt', 'id'])(entity);
    const target = () => entityOf(relation.kind) as new () => object;
    ForeignKey(target, { name: `fk_${path}_${prop.name}`, onDelete: ON_DELETE[relation.onDelete] })(
      prototype,
      prop.name,
    );
  }
}

/** Rules of a declaration that the column itself does not have. */
export interface StoredRules {
  readonly enums?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  /** Only for columns of type `text`, which have no length. */
  readonly length?: number;
  /** The name of the format. */
  readonly format?: string;
}

/** The rules of a prop that its column does not have; null for none. */
export function rulesOf(prop: PropDef): StoredRules | null {
  const { type, min, max, minLength, length = 0, format } = prop;
  const rules: StoredRules = {
    ...(type === 'enum' && !prop.options && { enums: (prop.enums ?? []).map(String) }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(minLength !== undefined && { minLength }),
    ...(type === 'string' && PROP_TYPES.string.column(prop)?.type === 'text' && { length }),
    ...(format && { format: format.name ?? format.rule }),
  };
  return Object.keys(rules).length ? rules : null;
}

/** The rules as the column's comment, so that migrations can compare the old and the new ones. */
function rulesComment(prop: PropDef): string | undefined {
  const rules = rulesOf(prop);
  return rules ? JSON.stringify(rules) : undefined;
}

/** What TypeORM can't express: for each searchable prop, a column with its folded text and an index. */
export function searchColumns(def: KindDef): SearchColumn[] {
  return def.props.filter((prop) => prop.filterQuery).map((prop) => searchColumnOf(def.path, prop.name));
}

/** The table of the maintained totals, and the name of its trigger on a kind's table (migration `record-counts`). */
export const ROW_COUNTS = { table: 'record_counts', trigger: 'record_counts_insert' } as const;

/** The SQL to start and stop maintaining a kind's total; null for a kind that is never listed. */
export function rowCounting(def: KindDef): { up: string; down: string } | null {
  if (!def.generic) return null;
  return { up: `SELECT record_counts_begin('${def.path}')`, down: `SELECT record_counts_end('${def.path}')` };
}
