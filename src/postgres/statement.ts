/** A statement: `$1`… in `text` stand for `values`. A `name` makes PostgreSQL prepare it once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The table that it is about: reads of one table that is locked must not keep those of others waiting. */
  readonly table?: string;
}

/** One that reads outside of a transaction. */
export type ReadStatement = Statement & Required<Pick<Statement, 'table'>>;

/** A row of a result: column → value. */
export type ResultRow = Record<string, unknown>;
