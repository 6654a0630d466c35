import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { StartupError } from '../config/startup-error.js';
import { dataSourceOptions } from './data-source-options.js';

/** How long a database may stay away at start, in milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 2000;
/** Held while migrating, so that instances that start together do it one after the other. */
const MIGRATION_LOCK = 7_203_000;

export interface ConnectOptions {
  readonly url: string;
  readonly statementTimeoutMs: number;
  readonly progress: (line: string) => void;
  /** For tests. */
  readonly patienceMs?: number;
}

/**
 * Waits for the database, brings its schema up to date and returns TypeORM's connection to it.
 * @throws StartupError when it stays away, refuses us or can't be migrated
 */
export async function connect(options: ConnectOptions): Promise<DataSource> {
  await waitFor(options);
  const dataSource = new DataSource(await dataSourceOptions(options.url, options.statementTimeoutMs));
  await dataSource.initialize();
  try {
    await migrate(dataSource, options);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

async function waitFor({ url, progress, patienceMs = PATIENCE_MS }: ConnectOptions): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      const reason = reasonOf(error);
      if (isFinal(error) || Date.now() >= end) {
        throw new StartupError(
          `The database can’t be used: ${reason}. Check DATABASE_URL and that it is running.`,
        );
      }
      progress(`Waiting for the database: ${reason}`);
      await sleep(PAUSE_MS);
    }
  }
}

async function migrate(dataSource: DataSource, { url, progress }: ConnectOptions): Promise<void> {
  // A connection of its own: migrations have their own transactions, and may take longer than a request may.
  const lock = new Client({ connectionString: url });
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (!(await dataSource.showMigrations())) return;
    progress('Migrating the database …');
    const done = await dataSource.runMigrations();
    progress(`Migrated: ${done.map((migration) => migration.name).join(', ')}`);
  } catch (error) {
    throw new StartupError(`The database can’t be migrated: ${reasonOf(error)}.`, { cause: error });
  } finally {
    await lock.end();
  }
}

/** Wrong credentials or a database that does not exist won't mend themselves by waiting. */
function isFinal(error: unknown): boolean {
  return ['28000', '28P01', '3D000', 'ERR_INVALID_URL'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** One line that never holds the URL, which has the password in it. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
