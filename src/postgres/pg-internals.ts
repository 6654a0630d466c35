import type { Duplex } from 'node:stream';
import { type Client, type ClientBase, type Connection, Query, type Submittable } from 'pg';
import { messageOf } from '../common/error-code.js';

// Internals of pg that its documentation does not promise and its types hardly describe. pg's own cursors use them too.
// test/foreign-internals.spec.ts checks every version.

/** The callback of a named query: gets an error or the rows. */
export type Done<Row> = (error: Error | null, rows: Row[]) => void;

/** The members of pg's connections for named statements. */
export interface OwnStatements {
  /** The texts of the prepared statements, by name. */
  readonly parsedStatements: Record<string, string>;
  close(message: { readonly type: 'S'; readonly name: string }): void;
}

/** The members of pg's query that subclasses use. */
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

/** The same connection, but without requests for descriptions of columns. */
export const terseOf = (connection: Connection): Connection =>
  Object.create(connection, { describe: { value: () => undefined } }) as Connection;

/** The stream of a client, with TLS if it uses TLS. */
export const streamOf = ({ connection }: Client): Duplex => connection.stream;

/** The process id of a client's backend, as the server has told it. A pooler in between tells one of its own. */
export const processIdOf = (client: ClientBase): number =>
  (client as ClientBase & { processID: number }).processID;

/** Whether a connection failed because it should use TLS and the server has none. The error has no code. */
export const lacksTls = (error: unknown): boolean =>
  messageOf(error) === 'The server does not support SSL connections';
