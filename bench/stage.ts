import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { Ids } from '../src/record/ids/ids.js';
import { type DatabaseCpu, databaseCpu } from './database-cpu.js';
import { type Callers, loadData } from './load-data.js';
import { ServerProcess } from './server-process.js';

const SECRET = 'a secret for benchmarks alone, 32 characters';

/** A database of the bench's PostgreSQL, filled. */
export interface BenchDatabase {
  readonly url: string;
  /** Articles loaded. */
  readonly rows: number;
  readonly callers: Callers;
}

/** What the measured things run on: a PostgreSQL of its own, databases in it, servers on those. Takes it all down again. */
export class Stage {
  readonly ids = new Ids(SECRET);

  private constructor(
    private readonly dataDir: string,
    private readonly url: string,
    private readonly cleanups: (() => Promise<unknown>)[],
    readonly say: (line: string) => void,
  ) {}

  /**
   * Starts PostgreSQL with its production settings in a folder for temporary files.
   * @param cleanups gets what is to be undone, last first, whether this comes to an end or not
   */
  static async open(cleanups: (() => Promise<unknown>)[], say: (line: string) => void): Promise<Stage> {
    const dataDir = await mkdtemp(join(tmpdir(), 'kindred-bench-'));
    cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
    say('Starting PostgreSQL …');
    const starting = startEmbeddedPostgres({ dataDir, progress: say });
    cleanups.push(async () => (await starting.catch(() => null))?.stop());
    return new Stage(dataDir, (await starting).url, cleanups, say);
  }

  /** Follows the CPU time of PostgreSQL. */
  databaseCpu(): DatabaseCpu {
    return databaseCpu(this.dataDir);
  }

  /** Makes and fills a database. */
  async load(rows: number): Promise<BenchDatabase> {
    const name = `articles_${rows}`;
    await withClient(this.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = Object.assign(new URL(this.url), { pathname: `/${name}` }).href;
    return { url, rows, callers: await loadData(url, rows, this.say) };
  }

  /** Starts the service on a database, in production mode. */
  service({ url, rows }: BenchDatabase, logLevel: string): Promise<ServerProcess> {
    return this.start('service', url, {
      PORT: '0',
      DATA_DIR: join(this.dataDir, `service-${rows}`),
      LOG_LEVEL: logLevel,
      // Thousands of logins from one address are what is measured.
      LOGIN_RATE_PER_ADDRESS: '0',
      LOGIN_RATE_PER_NAME: '0',
      // A busy machine or a very large table makes figures bad, and shall not end the run.
      STATEMENT_TIMEOUT_MS: '60000',
    });
  }

  /** Starts the reference on a database. */
  reference({ url, rows }: BenchDatabase): Promise<ServerProcess> {
    return this.start('reference', url, { ROWS: String(rows) });
  }

  private async start(name: string, url: string, env: Record<string, string>): Promise<ServerProcess> {
    const shared = { NODE_ENV: 'production', DATABASE_URL: url, APP_SECRET: SECRET };
    const server = await ServerProcess.start(name, { ...shared, ...env });
    this.cleanups.push(() => server.stop());
    return server;
  }
}

/**
 * Takes away what a round has created, so that every round finds tables of the same size, and leaves PostgreSQL nothing
 * to do afterwards.
 */
export function restore({ url, rows }: BenchDatabase): Promise<void> {
  return withClient(url, async (client) => {
    await client.query('DELETE FROM dummyarticles WHERE id > $1', [rows]);
    await client.query('DELETE FROM sessions WHERE "apiKeyId" IS NOT NULL');
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  });
}

/** Does something on a connection of its own. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
