import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';

type MigrationClass = new () => MigrationInterface;

const FOLDER = join(import.meta.dirname, 'migrations');
const FILE = /^\d{13}-[a-z0-9-]+\.(js|ts)$/;

/** The migrations beside this file, in order of their timestamps. Each file exports one class. */
export async function loadMigrations(): Promise<MigrationClass[]> {
  const files = readdirSync(FOLDER)
    .filter((file) => FILE.test(file))
    .sort();
  const modules = await Promise.all(
    files.map(
      (file) => import(pathToFileURL(join(FOLDER, file)).href) as Promise<Record<string, MigrationClass>>,
    ),
  );
  return modules.flatMap((module) => Object.values(module));
}

/** The names of the migrations that have run on a database, in their order. */
export async function executedMigrations(dataSource: DataSource): Promise<Set<string>> {
  const [table] = await dataSource.query<{ name: string | null }[]>(
    `SELECT to_regclass('migrations')::text AS name`,
  );
  if (!table?.name) return new Set();
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return new Set(rows.map((row) => row.name));
}

/** Reverts the last migration, in a transaction unless it declares that it has none. TypeORM ignores that for reverts. */
export async function undoLast(dataSource: DataSource): Promise<void> {
  const last = [...(await executedMigrations(dataSource))].at(-1);
  const migration = dataSource.migrations.find(
    ({ name, constructor }) => (name ?? constructor.name) === last,
  );
  await dataSource.undoLastMigration({ transaction: migration?.transaction === false ? 'none' : 'each' });
}

/** One line about executed migrations that this release does not have; null if there are none. */
export async function strangeMigrations(dataSource: DataSource): Promise<string | null> {
  const known = new Set((await loadMigrations()).map(({ name }) => name));
  const strange = [...(await executedMigrations(dataSource))].filter((name) => !known.has(name));
  if (!strange.length) return null;
  return `The database has migrations that this release does not know: ${strange.join(', ')}. It seems to be an older release; it goes on, but what they changed it can’t tell.`;
}

/** What reverting a migration would lose, statement by statement. Nothing is executed. */
export async function lossesOfRevert(migration: MigrationInterface): Promise<string[]> {
  const statements: string[] = [];
  const recorder = {
    query: (statement: string) => {
      statements.push(statement);
      return Promise.resolve([]);
    },
  };
  try {
    await migration.down(recorder as Partial<QueryRunner> as QueryRunner);
  } catch {
    return ['it can’t be told: its down does more than statements'];
  }
  return statements.filter((statement) =>
    /\bDROP (TABLE|COLUMN)\b|\bTRUNCATE\b|\bDELETE FROM\b|\bTYPE\b.*\bUSING\b/i.test(statement),
  );
}
