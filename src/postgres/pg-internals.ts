import type { Duplex } from 'node:stream';
import { type Client, type Connection, Query, type Submittable } from 'pg';

// What pg itself, and its cursors, use and its documentation does not promise; its types know little of it.
// test/foreign-internals.spec.ts holds every version to it.

/** What a query with a name hears in the end: an error, or its rows. */
export type Done<Row> = (error: Error | null, rows: Row[]) => void;

/** What pg's connections have for statements with names. */
export interface OwnStatements {
  /** The texts that the server is known to have prepared, by name. */
  readonly parsedStatements: Record<string, string>;
  close(message: { readonly type: 'S'; readonly name: string }): void;
}

/** What pg's own query offers to those that extend it. */
interface Base<Row> extends Submittable {
  name?: string;
  callback: Done<Row>;
  hasBeenParsed(connection: OwnStatements): boolean;
  prepare(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}

/** pg's own query, to be extended. */
export const PgQuery = Query as unknown as new <Row>(
  text: string,
  values: unknown[],
  done: Done<Row>,
) => Base<Row>;

/** The same connection, without the wish to have the columns of rows described. */
export const terseOf = (connection: Connection): Connection =>
  Object.create(connection, { describe: { value: () => undefined } }) as Connection;

/** What a client's bytes go through, with TLS where there is TLS. */
export const streamOf = ({ connection }: Client): Duplex => connection.stream;
