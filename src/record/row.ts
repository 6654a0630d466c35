import type { RecordEntity } from './record.entity.js';

/** What of an entity is stored: props of the type `never` are taken in alone, or lists of other records. */
type Stored<E> = { [K in keyof E]: [E[K]] extends [never] ? never : K }[keyof E] & string;
type Read<T> = T extends Date ? string : T;
type Written<T> = T extends string | number | boolean | null ? T : string;

type Columns<E> = { readonly [K in Stored<E>]: Read<E[K]> };

/**
 * A row with the types that the entity declares: column → value, which in all but later versions of a kind is prop name →
 * value. Ids are decimal texts, dates `YYYY-MM-DDTHH:MM:SS.mmmZ`, JSON is parsed. Beside the props stand the owner columns
 * of farther parents, under the keys of their rules (kind-graph.ts).
 */
export type RowOf<E extends RecordEntity> = Row & Columns<E>;

/** Column → value of an existing or new row, for rules about access. */
export type RowValues = Readonly<Record<string, unknown>>;

/** A row of any kind, with what every record has. */
export type Row = RowValues & Columns<RecordEntity>;

/** Values to be written, by column: those of the entity with its types, dates and JSON as texts. */
export interface ValuesOf<E extends RecordEntity> extends Map<string, unknown> {
  get<K extends Stored<E>>(name: K): Written<E[K]> | undefined;
  get(name: string): unknown;
  set<K extends Stored<E>>(name: K, value: Written<E[K]>): this;
  set(name: string, value: unknown): this;
}
