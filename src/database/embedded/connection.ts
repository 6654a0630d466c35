import { Client } from 'pg';
import { DATABASE_NAME } from './cluster.js';

/** Loopback only: the bundled server never listens elsewhere. */
export const HOST = '127.0.0.1';

const CONNECT_MS = 5_000;

/** How to reach the embedded server. */
export interface Endpoint {
  port: number;
  password: string;
}

/** Creates the service's database when it is missing. Rejects with pg's errors while the server isn't ready. */
export async function ensureDatabase({ port, password }: Endpoint): Promise<void> {
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
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  } finally {
    await client.end().catch(() => {});
  }
}
