import type { DataSource } from 'typeorm';
import { StartupError } from '../common/startup-error.js';
import { isStored, registeredKinds } from '../record/schema/kind.js';
import { columnOf, type PropDef } from '../record/schema/prop.js';
import { foldedColumn, rulesOf, type StoredRules } from '../record/schema/table.js';
import { searchColumn } from '../record/schema/texts.js';
import { columnsOf, lengthChanges, removals, renames } from './column-changes.js';
import {
  duplicates,
  guardOf,
  literal,
  type Misfits,
  narrowed,
  orphans,
  rowsWhere,
  toldOf,
} from './guards.js';
import { pendingSchema } from './pending-schema.js';
import type { ColumnChange, SchemaChange } from './schema-change.js';
import { collationChanges } from './text-columns.js';

/** The content of a migration, with notes for its reader. */
export interface MigrationPlan extends SchemaChange {
  /** The data that it loses, such as `drops price of articles`. */
  readonly losses: readonly string[];
  /** What it requires of existing records. */
  readonly demands: readonly string[];
  /** Lines of its source that stand before a statement of `up`: what SQL can't do, and where to fill columns. */
  readonly before: ReadonlyMap<string, readonly string[]>;
  /** The same for its end. */
  readonly atEnd: readonly string[];
  /** Those of `up` that make indexes on tables that are there, and in use, before. */
  readonly indexes: readonly string[];
}

const INDEX_ON = /^CREATE (?:UNIQUE )?INDEX "[^"]+" ON "([^"]+)"/;

/** How often to compare: a second comparison finds indexes that were lost with a recreated column. */
const MAX_ROUNDS = 3;

/**
 * Plans the migration from a database to the declared kinds by executing it, so the database must be disposable. Tables of
 * removed kinds stay as they are.
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
  const rules = await ruleChanges(dataSource);
  for (const change of await renames(dataSource)) await apply(change);
  for (const changes of [removals, lengthChanges, collationChanges]) {
    for (const change of await changes(dataSource)) await apply(change);
  }
  const guards = rules.flatMap(({ misfits }) => misfits);
  await apply({ up: guards.map(guardOf), down: [] });
  const demands = [...guards.map(toldOf), ...rules.flatMap(({ told }) => told ?? [])];
  const before = new Map<string, readonly string[]>();
  for (let round = 0; ; round++) {
    const pending = await pendingSchema(dataSource);
    if (!pending.up.length) break;
    if (round === MAX_ROUNDS)
      throw new Error(`The comparison does not come to an end: ${pending.up.join('; ')}`);
    losses.push(...lossesOf(pending));
    const guarded = pending.up.map((statement) => guarding(statement, tables));
    demands.push(...guarded.flatMap(({ misfits }) => (misfits ? [toldOf(misfits)] : [])));
    for (const { misfits, lines } of guarded) if (misfits && lines) before.set(guardOf(misfits), lines);
    await apply({ up: guarded.flatMap((one) => one.up), down: pending.down });
  }
  const atEnd = rules.flatMap(({ line }) => line ?? []);
  const indexes = up.filter((statement) => tables.has(INDEX_ON.exec(statement)?.[1] ?? ''));
  return { up, down: withoutIdleComments(down), losses, demands, before, atEnd, indexes };
}

/** Leaves out the comments on columns that are dropped afterwards. */
function withoutIdleComments(statements: readonly string[]): string[] {
  return statements.filter((statement, i) => {
    const [, table, column] = /^COMMENT ON COLUMN "([^"]+)"\."([^"]+)" /.exec(statement) ?? [];
    if (table === undefined || column === undefined) return true;
    const changes = ['DROP', 'RENAME'].map((word) => `ALTER TABLE "${table}" ${word} COLUMN "${column}"`);
    const next = statements.slice(i + 1).find((later) => changes.some((change) => later.startsWith(change)));
    return next?.includes(' DROP COLUMN ') !== true;
  });
}

/** Stricter rules for the values of a column. */
interface RuleChange {
  readonly misfits: readonly Misfits[];
  /** For what SQL can't look at. */
  readonly told?: string;
  readonly line?: string;
}

/** The columns with stricter rules. Unknown earlier rules count as none. */
async function ruleChanges(dataSource: DataSource): Promise<RuleChange[]> {
  const existing = new Map((await columnsOf(dataSource)).map((one) => [`${one.table}.${one.name}`, one]));
  return registeredKinds().flatMap(({ table, columns }) =>
    columns.filter(isStored).flatMap((prop): RuleChange[] => {
      const column = columnOf(prop);
      const { renamedFrom } = prop;
      const there =
        existing.get(`${table}.${column}`) ??
        (renamedFrom === undefined ? undefined : existing.get(`${table}.${renamedFrom}`));
      const after = rulesOf(prop);
      if (!there || !after) return [];
      // A column that is made anew has no values.
      if (family(there.type) !== family(typeIn(dataSource, table, column))) return [];
      const known = storedRules(there.comment);
      const misfits = narrowed(table, column, known, after);
      if (after.format === undefined || after.format === known.format) return [{ misfits }];
      return [
        {
          misfits,
          told: `${column} of ${table} must be ${prop.format?.rule ?? ''}: the migration looks at each record`,
          line: `await refuseMisfits(runner, ${source(table)}, ${source(column)});`,
        },
      ];
    }),
  );
}

/** The rules in a column's comment; none if the comment is not ours. */
function storedRules(comment: string | null): StoredRules {
  try {
    const rules: unknown = JSON.parse(comment ?? '{}');
    return typeof rules === 'object' && rules !== null ? rules : {};
  } catch {
    return {};
  }
}
/** @throws StartupError listing what a migration would lose, with the fix */
export function refuseLosses({ losses }: MigrationPlan): void {
  if (!losses.length) return;
  const lines = [
    'This migration would lose data:',
    ...losses.map((loss) => `- it ${loss}`),
    "Nothing was written. A prop that was renamed says so with renamedFrom: 'oldName'; if the loss is meant, repeat the command with --allow-data-loss.",
  ];
  throw new StartupError(lines.join('\n'));
}

/** The data of columns that TypeORM recreates with another type, and of relations to another kind. */
function lossesOf({ up, down }: SchemaChange): string[] {
  const targets = new Map(
    down.flatMap((statement) =>
      foreignKey(statement) ? [[foreignKey(statement)?.name, foreignKey(statement)?.target]] : [],
    ),
  );
  return up.flatMap((statement) => {
    const key = foreignKey(statement);
    const old = targets.get(key?.name);
    if (key && old !== undefined && old !== key.target)
      return [`lets ${key.column} of ${key.table} name ${key.target}, though its values name ${old}`];
    const [, table, column] = /^ALTER TABLE "(.+)" DROP COLUMN "(.+)"$/.exec(statement) ?? [];
    // A text's folded form is made again from the text.
    if (table === undefined || column?.endsWith(searchColumn(''))) return [];
    const added = `ALTER TABLE "${table}" ADD "${column}" `;
    const again = up.find((one) => one.startsWith(added))?.slice(added.length);
    return [`recreates ${column} of ${table} as ${again ?? 'nothing'}, without its values`];
  });
}

function foreignKey(statement: string) {
  const match =
    /^ALTER TABLE "([^"]+)" ADD CONSTRAINT "([^"]+)" FOREIGN KEY \("([^"]+)"\) REFERENCES "([^"]+)"/.exec(
      statement,
    );
  if (!match) return null;
  const [, table = '', name = '', column = '', target = ''] = match;
  return { table, name, column, target };
}

interface Guarded {
  readonly up: readonly string[];
  readonly misfits?: Misfits;
  /** Lines of source before the guard. */
  readonly lines?: readonly string[];
}

/**
 * Guards a statement that existing rows could violate: prepares the rows, or adds a check that reports them. A required
 * column is created as optional, so that it can be filled, and becomes required afterwards.
 */
function guarding(statement: string, tables: ReadonlySet<string>): Guarded {
  const added = /^ALTER TABLE "([^"]+)" ADD "([^"]+)" /.exec(statement);
  const required = /^ALTER TABLE "([^"]+)" ALTER COLUMN "([^"]+)" SET NOT NULL$/.exec(statement);
  const unique = /^CREATE UNIQUE INDEX .*?"[^"]+" ON "([^"]+)" *\(([^)]*)\)/.exec(statement);
  const relation = foreignKey(statement);
  const [, table = relation?.table ?? '', column = ''] = added ?? required ?? unique ?? [];
  if (!tables.has(table)) return { up: [statement] };
  if (unique) {
    return checked(
      statement,
      duplicates(
        table,
        [...column.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
      ),
    );
  }
  if (relation) return checked(statement, orphans(table, relation.column, relation.target));
  if (added) return adding(statement, table, column);
  if (!required) return { up: [statement] };
  const prop = propOf(table, column);
  if (prop?.default === undefined) return demanding(statement, table, column, '');
  const fill = `UPDATE "${table}" SET "${column}" = ${literal(prop.default)} WHERE "${column}" IS NULL`;
  return { up: [fill, statement] };
}

function checked(statement: string, misfits: Misfits): Guarded {
  return { up: [guardOf(misfits), statement], misfits };
}

function adding(statement: string, table: string, column: string): Guarded {
  const original = registeredKinds()
    .find((kind) => kind.table === table)
    ?.columns.find((prop) => prop.uniqueCaseInsensitive && foldedColumn(columnOf(prop)) === column);
  const isRequired = / NOT NULL(?!.* DEFAULT )/.test(statement);
  const require = `ALTER TABLE "${table}" ALTER COLUMN "${column}" SET NOT NULL`;
  const open = statement.replace(/ NOT NULL/, '');
  if (original) {
    const name = columnOf(original);
    const misfits: Misfits = {
      table,
      demand: `${table} must have the folded form of each ${name} in ${column}`,
      ...rowsWhere(table, [name], `"${column}" IS NULL AND "${name}" IS NOT NULL`),
      fix: 'let foldTexts fill it before in this migration',
    };
    const lines = [`await foldTexts(runner, ${source(table)}, ${source(name)});`];
    return { up: [open, guardOf(misfits), ...(isRequired ? [require] : [])], misfits, lines };
  }
  return isRequired ? demanding(require, table, column, open) : { up: [statement] };
}

/** Before NOT NULL, where there is no default. */
function demanding(statement: string, table: string, column: string, add: string): Guarded {
  const fill = `UPDATE "${table}" SET "${column}" = … WHERE "${column}" IS NULL`;
  const misfits: Misfits = {
    table,
    demand: `${table} must have no records ${add ? 'yet' : `without ${column}`}: ${column} is required and has no default`,
    ...rowsWhere(table, [], `"${column}" IS NULL`),
    fix: `fill it where this migration says so (${fill}), or declare a default and generate the migration again`,
  };
  const lines = [
    `// To keep the records that there are, fill ${column} here: await runner.query(\`${fill}\`);`,
  ];
  return { up: [...(add ? [add] : []), guardOf(misfits), statement], misfits, lines };
}

function propOf(table: string, column: string): PropDef | undefined {
  const kind = registeredKinds().find((one) => one.table === table);
  return kind?.columns.find((prop) => columnOf(prop) === column);
}

/** The type that a column is to have, as information_schema calls it. */
function typeIn(dataSource: DataSource, table: string, column: string): string | undefined {
  const entity = dataSource.entityMetadatas.find((one) => one.tableName === table);
  const found = entity?.columns.find((one) => one.databaseName === column);
  return found && dataSource.driver.normalizeType(found);
}

/** Types between which a column keeps its values. */
const family = (type: string | undefined) => (type === 'character varying' ? 'text' : type);

/** A text in the source of a migration. */
const source = (text: string) => `'${text}'`;
