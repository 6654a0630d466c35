import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { StartupError } from '../config/startup-error.js';
import { dataSourceOptions } from './data-source-options.js';
import { codeOf } from './error-code.js';
import { CONNECT_TIMEOUT_MS, sessionSettings } from './session-settings.js';
import { checkTexts, keepOrder } from './text-order.js';

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
  await migrate(options);
  const dataSource = new DataSource(await dataSourceOptions(options.url, options.statementTimeoutMs));
  await dataSource.initialize();
  quietPool(dataSource);
  return dataSource;
}

/**
 * A connection of the pool can fail in the moment between being made and being lent, when nobody listens yet; an
 * unheard 'error' event would end the process. Whoever uses the connection hears of it by its next statement.
 */
function quietPool(dataSource: DataSource): void {
  const { master } = dataSource.driver as unknown as { master: Pool };
  master.on('connect', (client) => client.on('error', () => undefined));
}

async function waitFor({ url, progress, patienceMs = PATIENCE_MS }: ConnectOptions): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
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

/** Runs what is pending, one instance at a time. */
function migrate({ url, progress }: ConnectOptions): Promise<void> {
  return withMigrations(url, async (dataSource) => {
    await checkTexts(dataSource);
    if (await dataSource.showMigrations()) {
      progress('Migrating the database …');
      const done = await dataSource.runMigrations();
      progress(`Migrated: ${done.map((migration) => migration.name).join(', ')}`);
    }
    await keepOrder(dataSource, progress);
  });
}

/**
 * Does something about the migrations of a database while nobody else does. A statement may take as long as it needs: an
 * index on a big table.
 * @throws StartupError with one line about what went wrong
 */
export async function withMigrations<T>(
  url: string,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const lock = new Client(sessionSettings(url));
  lock.on('error', () => undefined);
  const dataSource = new DataSource(await dataSourceOptions(url, 0));
  try {
    await lock.connect();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.initialize();
    return await work(dataSource);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database can’t be migrated: ${reasonOf(error)}.`, { cause: error });
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await lock.end().catch(() => undefined);
  }
}

/** Wrong credentials or a database that does not exist won't mend themselves by waiting. */
function isFinal(error: unknown): boolean {
  return ['28000', '28P01', '3D000', 'ERR_INVALID_URL'].includes(codeOf(error));
}

/** One line that never holds the URL, which has the password in it. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
