/*
 * How texts are ordered, searched and stored (docs/decisions/0015-texts.md): the names that the database knows it by.
 */

/** The collation of every text of a kind: ICU's root collation, in which equal texts are equal bytes. */
export const COLLATION = 'kindred';
/** The collation of texts that are only ever compared for equality: their indexes depend on no library. */
export const BYTES = 'C';
/** SQL function text → text: the form in which search compares, without case or Unicode form. */
export const FOLD_FUNCTION = 'kindred_fold';
/** SQL function text → LIKE pattern for texts that hold this one, both in the form of {@link FOLD_FUNCTION}. */
export const PATTERN_FUNCTION = 'kindred_pattern';

/**
 * The one form in which texts are taken in and compared: NFC, which to a reader is the same text (Unicode Standard
 * Annex 15). macOS names files in NFD.
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

/** What a searchable column has beside it. */
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
