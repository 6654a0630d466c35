import type { DataSource } from 'typeorm';
import { StartupError } from '../config/startup-error.js';
import { registeredKinds } from '../record/kind.js';
import type { PropDef } from '../record/prop.js';
import { searchColumn } from '../record/texts.js';
import { type ColumnChange, columnsOf, lengthChanges, removals, renames } from './column-changes.js';
import { pendingSchema, type SchemaChange } from './pending-schema.js';
import { collationChanges } from './text-columns.js';

/** What a migration does, and what whoever runs it should know. */
export interface MigrationPlan extends SchemaChange {
  /** What of the data it loses, as `drops price of articles`. */
  readonly losses: readonly string[];
  /** What it asks of records that are there already. */
  readonly demands: readonly string[];
}

/** Comparing again finds what one round has taken along: the indexes of a column that was made anew. */
const MOST_ROUNDS = 3;

/**
 * Works out the migration from a database to the declared kinds, by doing it: the database must be one to throw away.
 * The tables of kinds that are gone stay as they are.
 */
export async function planMigration(dataSource: DataSource): Promise<MigrationPlan> {
  const tables = new Set((await columnsOf(dataSource)).map(({ table }) => table));
  const up: string[] = [];
  const down: string[] = [];
  const losses: string[] = [];
  const apply = async (change: ColumnChange) => {
    if (change.loss !== undefined) losses.push(change.loss);
    for (const statement of change.up) await dataSource.query(statement);
    up.push(...change.up);
    down.unshift(...change.down);
  };
  for (const changes of [renames, removals, lengthChanges, collationChanges]) {
    for (const change of await changes(dataSource)) await apply(change);
  }
  const demands: string[] = [];
  for (let round = 0; ; round++) {
    const pending = await pendingSchema(dataSource);
    if (!pending.up.length) break;
    if (round === MOST_ROUNDS)
      throw new Error(`The comparison does not come to an end: ${pending.up.join('; ')}`);
    losses.push(...lossesOf(pending.up));
    const guarded = pending.up.map((statement) => guard(statement, tables));
    demands.push(...guarded.flatMap(({ demand }) => demand ?? []));
    await apply({ up: guarded.flatMap((one) => one.up), down: pending.down });
  }
  return { up, down, losses, demands };
}

/** @throws StartupError listing what a migration would lose, with the mend */
export function refuseLosses({ losses }: MigrationPlan): void {
  if (!losses.length) return;
  const lines = [
    'This migration would lose data:',
    ...losses.map((loss) => `- it ${loss}`),
    "Nothing was written. A prop that was renamed says so with renamedFrom: 'oldName'; if the loss is meant, repeat the command with --allow-data-loss.",
  ];
  throw new StartupError(lines.join('\n'));
}

/** The columns that TypeORM drops because it makes them again with another type. */
function lossesOf(statements: readonly string[]): string[] {
  return statements.flatMap((statement) => {
    const [, table, column] = /^ALTER TABLE "(.+)" DROP COLUMN "(.+)"$/.exec(statement) ?? [];
    // A text's folded form is made again from the text.
    if (table === undefined || column?.endsWith(searchColumn(''))) return [];
    const added = `ALTER TABLE "${table}" ADD "${column}" `;
    const again = statements.find((one) => one.startsWith(added))?.slice(added.length);
    return [`makes ${column} of ${table} anew as ${again ?? 'nothing'}, without its values`];
  });
}

/**
 * Puts before a statement that rows could fail what makes it work, or a sentence for whoever runs it: a column that must
 * have a value needs one in the rows that are there.
 */
function guard(statement: string, tables: ReadonlySet<string>): { up: string[]; demand?: string } {
  const added = /^ALTER TABLE "(.+)" ADD "(.+?)" .*NOT NULL(?!.* DEFAULT )/.exec(statement);
  const required = /^ALTER TABLE "(.+)" ALTER COLUMN "(.+)" SET NOT NULL$/.exec(statement);
  const [, table = '', column = ''] = added ?? required ?? [];
  if (!tables.has(table)) return { up: [statement] };
  const prop = propOf(table, column);
  if (required && prop?.default !== undefined) {
    const fill = `UPDATE "${table}" SET "${column}" = ${literal(prop.default)} WHERE "${column}" IS NULL`;
    return { up: [fill, statement] };
  }
  const which = added ? `"${table}"` : `"${table}" WHERE "${column}" IS NULL`;
  const demand = `${table} must have no records ${added ? 'yet' : `without ${column}`}: ${column} is required and has no default`;
  const mend = `give it a default, or fill it before in this migration`;
  const check = `DO $$ BEGIN IF EXISTS (SELECT FROM ${which}) THEN RAISE EXCEPTION ${literal(`${demand}; ${mend}`)}; END IF; END $$`;
  return { up: [check, statement], demand };
}

function propOf(table: string, column: string): PropDef | undefined {
  const kind = registeredKinds().find((one) => one.path === table);
  return kind?.props.find((prop) => prop.name === column);
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
