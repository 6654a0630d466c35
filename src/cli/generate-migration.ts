import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../common/startup-error.js';
import { connect } from '../database/connect.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { indexSource, migrationSource, withoutIndexes, writeNew } from '../database/migration-source.js';
import { type MigrationPlan, planMigration, refuseLosses } from '../database/plan-migration.js';

/*
 * `npm run migration:generate -- <name> [--allow-data-loss]`: writes the migration from what the committed ones make to
 * what the kinds declare. It compares in a database of its own, so it needs and touches no other.
 */

const FOLDER = join('src', 'database', 'migrations');
const STATEMENT_TIMEOUT_MS = 60_000;

async function plan(): Promise<MigrationPlan> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-migration-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  try {
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    const dataSource = await connect({
      url: postgres.url,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      progress,
    });
    try {
      return await planMigration(dataSource);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Parses the arguments. @throws StartupError with the usage */
function readArguments(args: readonly string[]): { name: string; allowDataLoss: boolean } {
  const names = args.filter((arg) => arg !== '--allow-data-loss');
  const [name = ''] = names;
  if (names.length !== 1 || !/^[a-z][a-z0-9-]{0,60}$/.test(name)) {
    throw new StartupError(
      'Say what the migration does: npm run migration:generate -- add-articles [--allow-data-loss]',
    );
  }
  return { name, allowDataLoss: names.length < args.length };
}

/** Writes the migration, and another one for indexes on tables that are in use; the names of the files. */
async function write(name: string, change: MigrationPlan): Promise<string[]> {
  const time = Date.now();
  const title = name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const rest = withoutIndexes(change);
  const sources: [file: string, source: string][] = [];
  if (rest.up.length || rest.down.length)
    sources.push([`${time}-${name}`, migrationSource(`${title}${time}`, rest)]);
  if (change.indexes.length)
    sources.push([`${time + 1}-${name}-indexes`, indexSource(`${title}Indexes${time + 1}`, change)]);
  return writeNew(FOLDER, sources);
}

async function main(args: readonly string[]): Promise<void> {
  const { name, allowDataLoss } = readArguments(args);
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  await import('../app.module.js');
  const change = await plan();
  if (!allowDataLoss) refuseLosses(change);
  if (!change.up.length)
    throw new StartupError(
      'Nothing to do: the migrations already make what the kinds declare. After a change of routes alone, npm run openapi and npm run client bring the description and the types up to date.',
    );
  const files = await write(name, change);
  const lines = [
    ...change.losses.map((loss) => `It loses data: it ${loss}.`),
    ...change.demands.map((demand) => `Note: ${demand}.`),
    `Wrote ${files.join(' and ')}. Read it before you commit it.`,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
