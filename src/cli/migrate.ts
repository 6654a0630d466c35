import type { DataSource } from 'typeorm';
import { loadConfig } from '../config/config.js';
import { StartupError } from '../common/startup-error.js';
import { runMigrations, withMigrations } from '../database/connect.js';
import { clusterPaths, isCluster } from '../database/embedded/cluster.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import type { LockWatch } from '../database/migration-lock.js';
import { executedMigrations, loadMigrations, lossesOfRevert, undoLast } from '../database/migrations.js';

/*
 * `npm run migration:show`, `:run` and `:revert`: the migrations of the database that the service would use. The embedded
 * one is started for it, which can't be while the service runs.
 */

type Command = (dataSource: DataSource, watch: LockWatch) => Promise<string[]>;

const say = (line: string) => process.stderr.write(`${line}\n`);

const namesOf = async () => (await loadMigrations()).map(({ name }) => name);

const ALLOW = '--allow-data-loss';

/** @throws StartupError with the data that reverting the last migration would lose */
async function refuseRevert({ migrations }: DataSource, name: string): Promise<void> {
  const last = migrations.find((one) => (one.name ?? one.constructor.name) === name);
  const losses = last ? await lossesOfRevert(last) : [];
  if (!losses.length) return;
  const lines = [
    `Reverting ${name} would lose data:`,
    ...losses.map((loss) => `- ${loss}`),
    `Nothing was changed. If the loss is meant, say npm run migration:revert -- ${ALLOW}`,
  ];
  throw new StartupError(lines.join('\n'));
}

const COMMANDS: Readonly<Record<string, Command>> = {
  async show(dataSource) {
    const done = await executedMigrations(dataSource);
    const names = await namesOf();
    const strange = [...done].filter((name) => !names.includes(name));
    return [
      ...names.map((name) => `[${done.has(name) ? 'x' : ' '}] ${name}`),
      ...strange.map((name) => `[x] ${name} (not in this version)`),
    ];
  },

  async run(dataSource, watch) {
    if (!(await dataSource.showMigrations())) return ['Nothing to do: all migrations have run.'];
    const done = await runMigrations(dataSource, watch, say);
    return done.length
      ? done.map((name) => `Migrated: ${name}`)
      : ['Nothing to do: all migrations have run.'];
  },

  async revert(dataSource) {
    const before = await executedMigrations(dataSource);
    if (!before.size) throw new StartupError('There is no migration to revert.');
    if (!process.argv.includes(ALLOW)) await refuseRevert(dataSource, [...before].at(-1) ?? '');
    await undoLast(dataSource);
    const after = await executedMigrations(dataSource);
    const reverted = [...before].filter((name) => !after.has(name));
    return [...reverted.map((name) => `Reverted: ${name}`), 'The next start of the service runs it again.'];
  },
};

async function main(word: string | undefined): Promise<string[]> {
  const command = Object.hasOwn(COMMANDS, word ?? '') ? COMMANDS[word ?? ''] : undefined;
  if (!command) throw new StartupError('Say what to do: show, run or revert.');
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  await import('../app.module.js');
  const config = loadConfig(process.env);
  if (config.databaseUrl) return withMigrations(config.databaseUrl, command, say);
  const { dataDir } = config;
  if (word !== 'run' && !isCluster(clusterPaths(dataDir).cluster)) {
    const all = (await namesOf()).map((name) => `[ ] ${name}`);
    if (word === 'show') return [`There is no database in ${dataDir} yet; npm start makes it.`, ...all];
    throw new StartupError(`There is no database in ${dataDir}, so nothing to revert.`);
  }
  const postgres = await startEmbeddedPostgres({ dataDir, progress: say });
  try {
    return await withMigrations(postgres.url, command, say);
  } finally {
    await postgres.stop();
  }
}

try {
  const lines = await main(process.argv[2]);
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
