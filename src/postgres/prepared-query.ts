import type { ClientBase, Connection } from 'pg';
import { codeOf } from '../common/error-code.js';
import { isOutdated, UNKNOWN_STATEMENT } from './error-code.js';
import { type Done, type OwnStatements, PgQuery, terseOf } from './pg-internals.js';
import { ENGINE_TYPES } from './pg-values.js';
import type { ResultRow, Statement } from './statement.js';

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How the texts of a row become values by column. */
class Shape {
  private readonly names: readonly string[];
  private readonly parsers: readonly ((text: string) => unknown)[];
  private readonly empty: ResultRow;

  constructor(fields: readonly Field[]) {
    this.names = fields.map(({ name }) => name);
    this.parsers = fields.map(({ dataTypeID }) => ENGINE_TYPES.getTypeParser(dataTypeID));
    this.empty = Object.fromEntries(this.names.map((name) => [name, null]));
  }

  rowOf(texts: readonly (string | null)[]): ResultRow {
    const row = { ...this.empty };
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i];
      row[this.names[i] ?? ''] = typeof text === 'string' ? this.parsers[i]?.(text) : null;
    }
    return row;
  }
}

/** A statement that a connection has prepared. */
interface Entry {
  readonly edition: number;
  shape?: Shape;
}

/** What a connection has prepared, by name; and the same connection without the wish for descriptions. */
interface Known {
  readonly entries: Map<string, Entry>;
  readonly terse: Connection;
}
const connections = new WeakMap<Connection, Known>();

/** How often migrations have outdated statements: those of an edition before are prepared anew, on each connection. */
let newest = 0;

function knownOf(connection: Connection): Known {
  let known = connections.get(connection);
  if (!known) {
    connections.set(connection, (known = { entries: new Map(), terse: terseOf(connection) }));
  }
  return known;
}

/**
 * A statement with a name. PostgreSQL describes the columns of its rows to the first ones on a connection; since a prepared
 * statement never changes them, the others do without, which spares both sides a good part of a short read. After a
 * migration that changes them it fails instead: what is then tried again is prepared anew.
 */
class PreparedQuery extends PgQuery<ResultRow> {
  private readonly found: ResultRow[] = [];
  private entry: Entry | undefined;
  private fault: Error | null = null;

  constructor(
    private readonly key: string,
    { text, values }: Statement,
    done: Done<ResultRow>,
  ) {
    super(text, [...values], done);
    this.name = key;
  }

  override prepare(connection: Connection & OwnStatements): void {
    const { key } = this;
    const { entries, terse } = knownOf(connection);
    let entry = entries.get(key);
    if (entry?.edition !== newest) {
      entries.set(key, (entry = { edition: newest }));
      delete connection.parsedStatements[key];
    }
    // Whatever has the name by now: to close what there isn't is no error, to prepare it twice would be one.
    if (!this.hasBeenParsed(connection)) connection.close({ type: 'S', name: key });
    this.entry = entry;
    super.prepare(entry.shape ? terse : connection);
  }

  /** What is still to be heard of may fail, and then what was sent behind it would fail for nothing: it prepares as well. */
  override hasBeenParsed({ parsedStatements }: OwnStatements): boolean {
    return parsedStatements[this.key] !== undefined;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    if (this.entry) this.entry.shape = new Shape(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.fault) return;
    try {
      const shape = this.entry?.shape;
      if (!shape) throw new Error('Rows came without a description of their columns.');
      this.found.push(shape.rowOf(fields));
    } catch (error) {
      this.fault = error as Error;
    }
  }

  /** How many rows there were is told by the rows. */
  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.fault, this.found);
  }

  override handleError(error: Error, connection: Connection): void {
    // Of two that prepared it the second one failed.
    if (codeOf(error) === UNKNOWN_STATEMENT) knownOf(connection).entries.delete(this.key);
    else if (isOutdated(error) && this.entry?.edition === newest) newest++;
    super.handleError(error, connection);
  }
}

/** Runs a statement. Returns its rows. @throws errors of PostgreSQL and of the connection */
export async function rowsOf(client: ClientBase, statement: Statement): Promise<ResultRow[]> {
  const { name, text, values } = statement;
  if (name === undefined) {
    return (await client.query<ResultRow>({ text, values: [...values], types: ENGINE_TYPES })).rows;
  }
  try {
    return await new Promise<ResultRow[]>((resolve, reject) => {
      const done: Done<ResultRow> = (error, rows) => (error ? reject(error) : resolve(rows));
      client.query(new PreparedQuery(name, statement, done));
    });
  } catch (error) {
    Error.captureStackTrace(error as Error); // the stack of the caller, not of the socket
    throw error;
  }
}
