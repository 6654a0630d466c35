import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { StartupError } from '../common/startup-error.js';
import { dataSourceOptions } from './data-source-options.js';
import { codeOf } from '../common/error-code.js';
import { endLeftMigrations, LockWatch, MIGRATION_NAME, takeMigrationLock } from './migration-lock.js';
import { strangeMigrations } from './migrations.js';
import { lacksTls } from '../postgres/pg-internals.js';
import { poolOf } from '../postgres/pool-of.js';
import { CONNECT_TIMEOUT_MS, sessionSettings } from '../postgres/session-settings.js';
import { checkTexts, keepOrder } from './text-order.js';

/** How long the start waits for an unavailable database, in milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 2000;
const MAX_PAUSE_MS = 16_000;
/** How long migrations retry to get their locks, in milliseconds. */
const LOCK_PATIENCE_MS = 600_000;
/**
 * How long a migration waits for a lock, in milliseconds. Others who need the table wait behind it, so it then lets them
 * through and tries again.
 */
const LOCK_TIMEOUT_MS = 1000;
const LOCK_NOT_AVAILABLE = '55P03';
const TOO_MANY_CONNECTIONS = '53300';

/** How to connect to the database. */
export interface ConnectOptions {
  readonly url: string;
  readonly statementTimeoutMs: number;
  readonly progress: (line: string) => void;
  /** The maximum number of connections for transactions. */
  readonly poolSize?: number;
  /** How long to wait for the database, or for locks, in milliseconds; for tests. */
  readonly patienceMs?: number;
}

/**
 * Waits for the database, migrates it and returns TypeORM's data source.
 * @throws StartupError if it stays unavailable, has no free connections, refuses us or can't be migrated
 */
export async function connect(options: ConnectOptions): Promise<DataSource> {
  const { url, statementTimeoutMs, poolSize } = options;
  await waitFor(options);
  await migrate(options);
  const dataSource = new DataSource(await dataSourceOptions(url, statementTimeoutMs, poolSize));
  await patiently(options, () => dataSource.initialize());
  quietPool(dataSource);
  return dataSource;
}

/**
 * A connection of the pool can fail between its creation and its first use, when nothing listens yet; an unhandled 'error'
 * event would end the process. The user of the connection gets the error with its next statement.
 */
function quietPool(dataSource: DataSource): void {
  poolOf(dataSource).on('connect', (client) => client.on('error', () => undefined));
}

async function waitFor(options: ConnectOptions): Promise<void> {
  await patiently(options, async () => {
    const client = new Client({ connectionString: options.url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}

/** Runs work that needs a connection, and retries it while the server is unavailable. @throws StartupError */
async function patiently(options: ConnectOptions, work: () => Promise<unknown>): Promise<void> {
  const { progress, patienceMs = PATIENCE_MS } = options;
  const end = Date.now() + patienceMs;
  for (let told = false; ; told = true) {
    try {
      await work();
      return;
    } catch (error) {
      const reason = reasonOf(error);
      if (isFinal(error) || Date.now() >= end) throw unusable(error, reason);
      progress(`Waiting for the database: ${reason}${told ? '' : hintFor(error)}`);
      await sleep(PAUSE_MS);
    }
  }
}

function unusable(error: unknown, reason: string): StartupError {
  return new StartupError(`The database can’t be used: ${reason}${hintFor(error)}. ${fixFor(error)}.`);
}

function fixFor(error: unknown): string {
  if (codeOf(error) === TOO_MANY_CONNECTIONS)
    return 'It takes no more connections: raise its max_connections, or lower DATABASE_CONNECTIONS of all that use it';
  if (lacksTls(error)) return 'Turn TLS on there, or change sslmode in DATABASE_URL';
  return 'Check DATABASE_URL and that it is running';
}

/** For a host that is unknown: a part of the password is taken for it where special characters are not encoded. */
function hintFor(error: unknown): string {
  if (!['ENOTFOUND', 'EAI_AGAIN'].includes(codeOf(error))) return '';
  return ' (if this is not the host in DATABASE_URL, percent-encode the special characters of its password: %2F for /, %40 for @)';
}

/** Runs pending migrations, on one instance at a time. */
function migrate({ url, progress, patienceMs }: ConnectOptions): Promise<void> {
  return withMigrations(
    url,
    async (dataSource, watch) => {
      await checkTexts(dataSource);
      const strange = await strangeMigrations(dataSource);
      if (strange !== null) progress(strange);
      if (await dataSource.showMigrations()) {
        progress('Migrating the database …');
        const done = await runMigrations(dataSource, watch, progress, patienceMs);
        progress(`Migrated: ${done.join(', ')}`);
      }
      await keepOrder(dataSource, progress);
    },
    progress,
  );
}

/**
 * Runs pending migrations in order. One that does not get a lock is rolled back and retried, so that others do not wait long
 * behind it. Returns the names of those that have run.
 * @param patienceMs how long to retry
 * @throws StartupError that names the holder of the lock
 */
export async function runMigrations(
  dataSource: DataSource,
  watch: LockWatch,
  say: (line: string) => void,
  patienceMs = LOCK_PATIENCE_MS,
): Promise<string[]> {
  const before = await migrationsOf(dataSource);
  const end = Date.now() + patienceMs;
  for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    watch.start();
    try {
      await dataSource.runMigrations();
      const after = await migrationsOf(dataSource);
      return after.filter((name) => !before.includes(name));
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw await failure(dataSource, error);
      await watch.stop();
      const why = `A migration waits for ${watch.describe()}`;
      if (Date.now() + pause >= end)
        throw new StartupError(`${why}. End that and restart.`, { cause: error });
      say(`${why}. It lets others go first and tries again in ${pause / 1000} s.`);
      await sleep(pause);
    } finally {
      await watch.stop();
    }
  }
}

/** The error for a failed migration: its name and the reason. */
async function failure(dataSource: DataSource, error: unknown): Promise<unknown> {
  const done = await migrationsOf(dataSource).catch(() => null);
  const names = dataSource.migrations.map((one) => one.name ?? one.constructor.name);
  const failed = done && names.find((name) => !done.includes(name));
  if (failed === null || failed === undefined) return error;
  return new StartupError(`The migration ${failed} failed: ${reasonOf(error)}.`, { cause: error });
}

/** The names of the migrations that have run. */
async function migrationsOf(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/**
 * Runs work on the migrations of a database, under an exclusive lock. A statement may take as long as it needs, such as an
 * index on a big table, but waits only briefly for a lock.
 * @param say called with what it waits for
 * @throws StartupError with one line about what went wrong
 */
export async function withMigrations<T>(
  url: string,
  work: (dataSource: DataSource, watch: LockWatch) => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const lock = new Client({ ...sessionSettings(url), application_name: 'kindred-migration-lock' });
  lock.on('error', () => undefined);
  const dataSource = new DataSource(await migrationOptions(url));
  try {
    await lock.connect();
    await takeMigrationLock(lock, say);
    await endLeftMigrations(lock, say);
    await dataSource.initialize();
    return await work(dataSource, new LockWatch(lock, say));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database can’t be migrated: ${reasonOf(error)}.`, { cause: error });
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await lock.end().catch(() => undefined);
  }
}

async function migrationOptions(url: string): Promise<DataSourceOptions> {
  const base = await dataSourceOptions(url, 0);
  const extra = base.extra as Readonly<Record<string, unknown>>;
  const options = `${String(extra.options)} -c lock_timeout=${LOCK_TIMEOUT_MS}`;
  return { ...base, applicationName: MIGRATION_NAME, extra: { ...extra, options } } as DataSourceOptions;
}

/** Whether waiting is useless, as for wrong credentials or a missing database. */
function isFinal(error: unknown): boolean {
  return lacksTls(error) || ['28000', '28P01', '3D000', 'ERR_INVALID_URL'].includes(codeOf(error));
}

/** One line that never contains the URL, which has the password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
