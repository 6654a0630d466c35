import { Client } from 'pg';
import { StartupError } from '../../common/startup-error.js';
import { DATABASE_NAME } from './cluster.js';
import { FOLDER_SETTING, folderIdentity } from './folder-identity.js';

/** Loopback only: the bundled server never listens elsewhere. */
export const HOST = '127.0.0.1';

const CONNECT_MS = 5_000;

/** How to reach the embedded server. */
export interface Endpoint {
  port: number;
  password: string;
}

/**
 * Creates the service's database when it is missing. Rejects with pg's errors while the server isn't ready.
 * @param cluster the folder that the server must work on: another one may have got hold of the port
 * @throws StartupError when it is another server
 */
export async function ensureDatabase(endpoint: Endpoint, cluster: string): Promise<void> {
  await withClient(endpoint, async (client) => {
    if ((await folderSaid(client)) !== folderIdentity(cluster)) {
      throw new StartupError(`The PostgreSQL on port ${endpoint.port} is not the one of ${cluster}.`);
    }
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  });
}

/** The identity of the folder that a server was started on; undefined when it can't be asked or does not know. */
export async function folderOfServer(endpoint: Endpoint): Promise<string | undefined> {
  return withClient(endpoint, folderSaid).catch(() => undefined);
}

async function folderSaid(client: Client): Promise<string | undefined> {
  const text = `SELECT current_setting('${FOLDER_SETTING}', true) AS folder`;
  const { rows } = await client.query<{ folder: string | null }>(text);
  return rows[0]?.folder ?? undefined;
}

async function withClient<T>({ port, password }: Endpoint, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    host: HOST,
    port,
    password,
    user: DATABASE_NAME,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {}); // A connection that breaks rejects the query too; unheard, it would end the process.
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
