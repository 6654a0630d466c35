/** The statements that make a change of the schema, and those that undo it. */
export interface SchemaChange {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** A change of a column; `loss` says what it would lose. */
export interface ColumnChange extends SchemaChange {
  readonly loss?: string;
}
