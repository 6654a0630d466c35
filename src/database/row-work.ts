import type { QueryRunner } from 'typeorm';
import { fold } from '../record/schema/formats.js';
import { registeredKinds } from '../record/schema/kind.js';
import { columnOf } from '../record/schema/prop.js';
import { foldedColumn } from '../record/schema/table.js';

/*
 * Changes of rows by generated migrations that SQL can't express. They use the declarations of the release that runs the
 * migration, and skip what these no longer have.
 */

const BATCH = 1000;
const MAX_SHOWN = 20;

/**
 * Stops a migration while texts of a column are not in the format of its prop.
 * @throws Error with their number, the statement that finds them and the fix
 */
export async function refuseMisfits(runner: QueryRunner, table: string, column: string): Promise<void> {
  const format = propAt(table, column)?.format;
  if (!format) return;
  let found = 0;
  const shown: string[] = [];
  for await (const rows of batches(runner, table, column, `"${column}" <> ''`)) {
    for (const { id, text } of rows) {
      if (format.test(text)) continue;
      found++;
      if (shown.length < MAX_SHOWN) shown.push(id);
    }
  }
  if (!found) return;
  const find = `SELECT id, "${column}" FROM "${table}" WHERE id IN (${shown.join(', ')})`;
  const first = found > shown.length ? `the first ${shown.length}: ` : '';
  throw new Error(
    `${column} of ${table} must be ${format.rule}; ${found} are not so: ${first}${find}; change them before in this migration`,
  );
}

/** Fills the column of folded texts beside a prop that is `uniqueCaseInsensitive` now. */
export async function foldTexts(runner: QueryRunner, table: string, column: string): Promise<void> {
  const folded = foldedColumn(column);
  for await (const rows of batches(runner, table, column, `"${folded}" IS NULL`)) {
    await runner.query(
      `UPDATE "${table}" SET "${folded}" = d.text FROM unnest($1::bigint[], $2::text[]) d(id, text) WHERE "${table}".id = d.id`,
      [rows.map(({ id }) => id), rows.map(({ text }) => fold(text))],
    );
  }
}

interface Text {
  readonly id: string;
  readonly text: string;
}

/** The texts of a column that are there, by id. */
async function* batches(
  runner: QueryRunner,
  table: string,
  column: string,
  where: string,
): AsyncGenerator<readonly Text[]> {
  const text = `SELECT id, "${column}" AS text FROM "${table}" WHERE id > $1 AND "${column}" IS NOT NULL AND ${where} ORDER BY id LIMIT ${BATCH}`;
  for (let last = '-1'; ;) {
    const rows = (await runner.query(text, [last])) as Text[];
    if (rows.length) yield rows;
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.id ?? last;
  }
}

function propAt(table: string, column: string) {
  const kind = registeredKinds().find((one) => one.table === table);
  return kind?.columns.find((prop) => columnOf(prop) === column);
}
