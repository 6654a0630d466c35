import { type ClientBase, type Connection, Query, type Submittable } from 'pg';
import { ENGINE_TYPES } from './pg-values.js';
import type { ResultRow, Statement } from './statement.js';

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** What pg's own query offers to those that extend it, as its cursors do; its types know nothing of it. */
interface Base {
  name?: string;
  callback: Done;
  prepare(connection: Connection): void;
}
type Done = (error: Error | null, rows: ResultRow[]) => void;
const PgQuery = Query as unknown as new (text: string, values: unknown[], done: Done) => Base;

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
      if (typeof text === 'string') row[this.names[i] ?? ''] = this.parsers[i]?.(text);
    }
    return row;
  }
}

/** The shapes of the statements that a connection has prepared, by name, and the connection without descriptions. */
interface Known {
  readonly shapes: Map<string, Shape>;
  readonly terse: Connection;
}
const connections = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  let known = connections.get(connection);
  if (!known) {
    const terse = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
    known = { shapes: new Map(), terse };
    connections.set(connection, known);
  }
  return known;
}

/**
 * A statement with a name. PostgreSQL describes its columns to the first ones on a connection; since a prepared statement
 * never changes them (it fails instead), the others do without, which spares both sides a good part of a short read.
 */
class PreparedQuery extends PgQuery {
  private readonly found: ResultRow[] = [];
  private shape: Shape | undefined;
  private shapes: Map<string, Shape> | undefined;
  private fault: Error | null = null;

  constructor({ name, text, values }: Statement, done: Done) {
    super(text, [...values], done);
    this.name = name;
  }

  override prepare(connection: Connection): void {
    const { shapes, terse } = knownOf(connection);
    this.shapes = shapes;
    this.shape = shapes.get(this.name ?? '');
    super.prepare(this.shape ? terse : connection);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.shape = new Shape(fields);
    this.shapes?.set(this.name ?? '', this.shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.fault || !this.shape) return;
    try {
      this.found.push(this.shape.rowOf(fields));
    } catch (error) {
      this.fault = error as Error; // of a parser
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.fault, this.found);
  }
}

/** Runs a statement and answers its rows. @throws what PostgreSQL or the connection says */
export async function rowsOf(client: ClientBase, statement: Statement): Promise<ResultRow[]> {
  if (statement.name === undefined) {
    const values = [...statement.values];
    return (await client.query<ResultRow>({ text: statement.text, values, types: ENGINE_TYPES })).rows;
  }
  return new Promise((resolve, reject) => {
    const done: Done = (error, rows) => (error ? reject(error) : resolve(rows));
    client.query(new PreparedQuery(statement, done) as unknown as Submittable);
  });
}
