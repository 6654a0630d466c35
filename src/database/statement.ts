/** A statement: `$1`… in `text` stand for `values`. A `name` makes PostgreSQL prepare it once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type ResultRow = Record<string, unknown>;
