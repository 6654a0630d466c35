/*
 * Names in the database for the order, search and storage of texts (docs/decisions/0015-texts.md).
 */

/** The collation of every text of a kind: ICU's root collation, in which equal texts are equal bytes. */
export const COLLATION = 'kindred';
/** The collation of texts that are only compared for equality. Their indexes depend on no library. */
export const BYTES = 'C';
/** SQL function text → text: removes differences of case and Unicode form for search. */
export const FOLD_FUNCTION = 'kindred_fold';
/** SQL function text → LIKE pattern for texts that contain it, both folded by {@link FOLD_FUNCTION}. */
export const PATTERN_FUNCTION = 'kindred_pattern';

/**
 * Normalizes texts for storage and comparison to NFC, which readers can't distinguish (Unicode Standard Annex 15). macOS
 * names files in NFD.
 */
export const oneForm = (text: string): string => text.normalize('NFC');

/** The column beside a `uniqueCaseInsensitive` prop that holds the folded text (formats.ts `fold`). */
export const foldedColumn = (column: string) => `${column}Folded`;

/** The column that PostgreSQL itself fills with the folded text of a searchable one. No prop can have such a name. */
export const searchColumn = (column: string) => `${column}_search`;

/** A column for search and its trigram index, which TypeORM can't express. */
export interface SearchColumn {
  readonly table: string;
  readonly name: string;
  readonly index: string;
  readonly add: string;
  readonly drop: string;
  readonly addIndex: string;
}

/** The search column and index of a searchable column. */
export function searchColumnOf(table: string, column: string): SearchColumn {
  const name = searchColumn(column);
  const index = `tg_${table}_${column}`;
  return {
    table,
    name,
    index,
    add: `ALTER TABLE "${table}" ADD "${name}" text GENERATED ALWAYS AS (${FOLD_FUNCTION}("${column}")) STORED`,
    drop: `ALTER TABLE "${table}" DROP COLUMN "${name}"`,
    addIndex: `CREATE INDEX "${index}" ON "${table}" USING gin ("${name}" gin_trgm_ops)`,
  };
}
