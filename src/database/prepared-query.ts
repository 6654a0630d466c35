import { type ClientBase, type Connection, Query, type Submittable } from 'pg';
import { isOutdated } from './error-code.js';
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
  hasBeenParsed(connection: Connection): boolean;
  prepare(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}
/** The same of its connections: which statements the server knows, or will by then. */
interface OwnStatements {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  close(message: { readonly type: 'S'; readonly name: string }): void;
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

/** A statement as it is prepared on a connection. */
interface Prepared {
  readonly edition: number;
  shape?: Shape;
}

/** What is prepared on a connection, by name; and the same connection without the wish for descriptions. */
interface Known {
  readonly prepared: Map<string, Prepared>;
  readonly terse: Connection;
}
const connections = new WeakMap<Connection, Known>();

/** How often a statement, by name, had to be prepared anew on all connections. */
const editions = new Map<string, number>();

function knownOf(connection: Connection): Known {
  let known = connections.get(connection);
  if (!known) {
    const terse = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
    connections.set(connection, (known = { prepared: new Map(), terse }));
  }
  return known;
}

/**
 * A statement with a name. PostgreSQL describes its columns to the first ones on a connection; since a prepared statement
 * never changes them, the others do without, which spares both sides a good part of a short read. After a migration that
 * changes them the statement fails instead (isOutdated), and from then on is prepared anew, on each connection.
 */
class PreparedQuery extends PgQuery {
  private readonly found: ResultRow[] = [];
  private prepared: Prepared | undefined;
  private fault: Error | null = null;

  constructor(
    private readonly key: string,
    { text, values }: Statement,
    done: Done,
  ) {
    super(text, [...values], done);
    this.name = key;
  }

  override prepare(connection: Connection & OwnStatements): void {
    const { key } = this;
    const { prepared, terse } = knownOf(connection);
    const edition = editions.get(key) ?? 0;
    let mine = prepared.get(key);
    if (mine?.edition !== edition) {
      prepared.set(key, (mine = { edition }));
      delete connection.parsedStatements[key];
      delete connection.submittedNamedStatements[key];
    }
    // Whatever has the name by now: to close what there isn't is no error, to prepare it twice would be one.
    if (!this.hasBeenParsed(connection)) connection.close({ type: 'S', name: key });
    this.prepared = mine;
    super.prepare(mine.shape ? terse : connection);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    if (this.prepared) this.prepared.shape = new Shape(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const shape = this.prepared?.shape;
    if (this.fault || !shape) return;
    try {
      this.found.push(shape.rowOf(fields));
    } catch (error) {
      this.fault = error as Error; // of a parser
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.fault, this.found);
  }

  override handleError(error: Error, connection: Connection): void {
    if (isOutdated(error) && this.prepared?.edition === (editions.get(this.key) ?? 0)) {
      editions.set(this.key, this.prepared.edition + 1);
    }
    super.handleError(error, connection);
  }
}

/** Runs a statement and answers its rows. @throws what PostgreSQL or the connection says */
export async function rowsOf(client: ClientBase, statement: Statement): Promise<ResultRow[]> {
  const { name, text, values } = statement;
  if (name === undefined) {
    return (await client.query<ResultRow>({ text, values: [...values], types: ENGINE_TYPES })).rows;
  }
  return new Promise((resolve, reject) => {
    const done: Done = (error, rows) => (error ? reject(error) : resolve(rows));
    client.query(new PreparedQuery(name, statement, done) as unknown as Submittable);
  });
}
