import type { DataSource } from 'typeorm';
import '../app.module.js';
import { loadConfig } from '../config/config.js';
import { StartupError } from '../config/startup-error.js';
import { runMigrations, withMigrations } from './connect.js';
import { clusterPaths, isCluster } from './embedded/cluster.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import type { LockWatch } from './migration-lock.js';
import { loadMigrations } from './migrations.js';

/*
 * `npm run migration:show`, `:run` and `:revert`: the migrations of the database that the service would use. The embedded
 * one is started for it, which can't be while the service runs.
 */

type Command = (dataSource: DataSource, watch: LockWatch) => Promise<string[]>;

const say = (line: string) => process.stderr.write(`${line}\n`);

const namesOf = async () => (await loadMigrations()).map(({ name }) => name);

async function executed(dataSource: DataSource): Promise<Set<string>> {
  const [table] = await dataSource.query<{ name: string | null }[]>(
    `SELECT to_regclass('migrations')::text AS name`,
  );
  if (!table?.name) return new Set();
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
  return new Set(rows.map((row) => row.name));
}

const COMMANDS: Readonly<Record<string, Command>> = {
  async show(dataSource) {
    const done = await executed(dataSource);
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
    const before = await executed(dataSource);
    if (!before.size) throw new StartupError('There is no migration to revert.');
    await dataSource.undoLastMigration({ transaction: 'each' });
    const after = await executed(dataSource);
    const reverted = [...before].filter((name) => !after.has(name));
    return [...reverted.map((name) => `Reverted: ${name}`), 'The next start of the service runs it again.'];
  },
};

async function main(word: string | undefined): Promise<string[]> {
  const command = COMMANDS[word ?? ''];
  if (!command) throw new StartupError('Say what to do: show, run or revert.');
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
