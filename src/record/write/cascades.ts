import type { ReadStatement, ResultRow, Statement } from '../../postgres/statement.js';
import { quote } from '../sql/kind-sql.js';

/** The maximum length of a chain of relations. Deeper records are deleted together with those above. */
const DEEPEST = 6;

/** A foreign key, with its effect on the rows of `table` when the row in their `column` is deleted. */
interface Reference {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
  readonly action: 'delete' | 'clear' | 'forbid';
}

/** A chain of foreign keys from a record downwards. The last one's action applies to the rows at the end. */
export type Chain = readonly [Reference, ...Reference[]];

/** The foreign keys of the schema, as rows for {@link Cascades}: those of kinds and of internal tables. */
export function foreignKeys(): ReadStatement {
  const text =
    'SELECT c.relname AS "table", a.attname AS "column", p.relname AS parent, k.confdeltype AS action' +
    ' FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid' +
    ' JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]' +
    " WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND cardinality(k.conkey) = 1";
  return { text, values: [], table: 'pg_constraint' };
}

/** The dependent records of a table, and the SQL that finds and removes them in batches. */
export class Cascades {
  private readonly references: readonly Reference[];

  constructor(rows: readonly ResultRow[]) {
    this.references = rows.map(({ table, column, parent, action }) => ({
      table: String(table),
      column: String(column),
      parent: String(parent),
      action: action === 'c' ? 'delete' : action === 'n' || action === 'd' ? 'clear' : 'forbid',
    }));
  }

  /** All chains from a table downwards, the longest first, so that lower records are removed first. */
  chains(table: string): Chain[] {
    const found: Chain[] = [];
    let level: Chain[] = this.below(table).map((reference): Chain => [reference]);
    for (let depth = 1; level.length && depth <= DEEPEST; depth++) {
      found.unshift(...level);
      level = level
        .filter((chain) => last(chain).action === 'delete')
        .flatMap((chain) => this.below(last(chain).table).map((next): Chain => [...chain, next]));
    }
    return found;
  }

  private below(table: string): Reference[] {
    return this.references.filter(({ parent }) => parent === table);
  }
}

/** The rows to which the first `length` relations of a chain lead: their table, and a statement for `most` of their ids. */
export function endOf(
  [first, ...rest]: Chain,
  length: number,
  id: string,
  most: number,
): { table: string; statement: Statement } {
  const way: Chain = [first, ...rest.slice(0, length - 1)];
  const text = `SELECT DISTINCT e${length - 1}.id ${found(way)} ORDER BY 1 LIMIT ${most}`;
  return { table: last(way).table, statement: { text, values: [id] } };
}

/** How many rows there are at the ends of chains, `most` at most of each. */
export function countOf(chains: readonly Chain[], id: string, most: number): Statement {
  const counts = chains.map((chain) => `(SELECT 1 ${found(chain)} LIMIT ${most})`);
  return { text: `SELECT count(*) AS count FROM (${counts.join(' UNION ALL ')}) x`, values: [id] };
}

/** Deletes, or takes its parent from, `most` rows at the end of a chain; returns a row for each. */
export function removeSome(chain: Chain, id: string, most: number): Statement {
  const { table, column, action } = last(chain);
  const some = `WHERE ctid = ANY(ARRAY(SELECT e${chain.length - 1}.ctid ${found(chain)} LIMIT ${most}))`;
  const text =
    action === 'delete'
      ? `DELETE FROM ${quote(table)} ${some} RETURNING 1`
      : `UPDATE ${quote(table)} SET ${quote(column)} = NULL, "updatedAt" = greatest(clock_timestamp(), "updatedAt" + interval '1 millisecond') ${some} RETURNING 1`;
  return { text, values: [id] };
}

/** Whether remaining records lose their relation to one that is deleted along. */
export function clearsFarther(chain: Chain): boolean {
  return chain.length > 1 && last(chain).action === 'clear';
}

/** Whether the chain forbids the deletion. */
export function forbids(chain: Chain): boolean {
  return last(chain).action === 'forbid';
}

function found(chain: Chain): string {
  const [first, ...rest] = chain;
  const joins = rest.map(
    ({ table, column }, i) => ` JOIN ${quote(table)} e${i + 1} ON e${i + 1}.${quote(column)} = e${i}.id`,
  );
  return `FROM ${quote(first.table)} e0${joins.join('')} WHERE e0.${quote(first.column)} = $1`;
}

function last(chain: Chain): Reference {
  return chain[chain.length - 1] ?? chain[0];
}
