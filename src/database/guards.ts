import type { StoredRules } from '../record/schema/table.js';

/*
 * Checks before statements of a migration that existing rows could violate. They stop the migration before it changes
 * anything, and report how many rows there are, how to find them and how to continue.
 */

/** Rows that violate a rule. */
export interface Misfits {
  readonly table: string;
  /** The rule, without a full stop. */
  readonly demand: string;
  /** SQL that finds them, for the reader of the message. */
  readonly find: string;
  /** SQL for their number, a subquery. */
  readonly count: string;
  /** How to fix them. */
  readonly fix: string;
}

/** A statement that fails with one line while there are such rows. */
export function guardOf({ demand, find, count, fix }: Misfits): string {
  const message = `${literal(`${demand}; `)} || misfits || ${literal(` are not so: ${find}; ${fix}`)}`;
  return `DO $guard$ DECLARE misfits bigint; BEGIN misfits := (${count}); IF misfits > 0 THEN RAISE EXCEPTION USING MESSAGE = ${message}; END IF; END $guard$`;
}

/** The message about it when the migration is generated. */
export function toldOf({ demand, find }: Misfits): string {
  return `${demand} (those that are not so: ${find})`;
}

/** The rows of a table for which a condition holds. */
export function rowsWhere(
  table: string,
  columns: readonly string[],
  where: string,
): Pick<Misfits, 'find' | 'count'> {
  const shown = columns.map((column) => `, "${column}"`).join('');
  return {
    find: `SELECT id${shown} FROM "${table}" WHERE ${where}`,
    count: `SELECT count(*) FROM "${table}" WHERE ${where}`,
  };
}

/** The values of a unique rule that more than one row has. */
export function duplicates(table: string, columns: readonly string[]): Misfits {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const there = columns.map((column) => `"${column}" IS NOT NULL`).join(' AND ');
  const find = `SELECT ${names}, count(*) FROM "${table}" WHERE ${there} GROUP BY ${names} HAVING count(*) > 1`;
  return {
    table,
    demand: `${table} must have each ${columns.join(' with ')} once: it is unique now`,
    find,
    count: `SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM "${table}" WHERE ${there} GROUP BY ${names} HAVING count(*) > 1) d`,
    fix: 'change or delete all but one of each before in this migration',
  };
}

/** The rows of a relation that name a missing record. */
export function orphans(table: string, column: string, target: string): Misfits {
  const where = `"${column}" IS NOT NULL AND NOT EXISTS (SELECT FROM "${target}" o WHERE o.id = "${table}"."${column}")`;
  return {
    table,
    demand: `${column} of ${table} must name records of ${target}`,
    ...rowsWhere(table, [column], where),
    fix: 'empty the column or delete the records before in this migration',
  };
}

/** The rows that violate a column's new rules; one entry for each stricter rule. */
export function narrowed(table: string, column: string, before: StoredRules, after: StoredRules): Misfits[] {
  const misfits: Misfits[] = [];
  const add = (rule: string, where: string) =>
    misfits.push({
      table,
      demand: `${column} of ${table} must ${rule}`,
      ...rowsWhere(table, [column], where),
      fix: 'change them before in this migration',
    });
  const rises = (name: 'min' | 'minLength') => (after[name] ?? -Infinity) > (before[name] ?? -Infinity);
  const falls = (name: 'max' | 'length') => (after[name] ?? Infinity) < (before[name] ?? Infinity);
  const { enums, min, max, minLength, length } = after;
  if (enums && !before.enums?.every((one) => enums.includes(one)))
    add(`be one of ${enums.join(', ')}`, `"${column}" NOT IN (${enums.map(literal).join(', ')})`);
  if (rises('min')) add(`be ${min} or more`, `"${column}" < ${min}`);
  if (falls('max')) add(`be ${max} or less`, `"${column}" > ${max}`);
  if (rises('minLength'))
    add(`have at least ${minLength} characters`, `char_length("${column}") < ${minLength}`);
  if (falls('length')) add(`have at most ${length} characters`, `char_length("${column}") > ${length}`);
  return misfits;
}

/** A value in SQL. */
export function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
