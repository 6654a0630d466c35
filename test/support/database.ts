import { createHash, randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { connect } from '../../src/database/connect.js';
import { pendingSchema } from '../../src/database/pending-schema.js';
import { registeredKinds } from '../../src/record/schema/kind.js';

/** Serialises the making of the template among Jest's workers. */
const TEMPLATE_LOCK = 1;

const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('Run the tests with npm test: it starts the database.');
  return url;
};

/** The same server, another database. */
export function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

const pools = new Map<string, Pool>();

/** Runs one statement on a database of the test server, on a connection that a while later serves the next. */
export async function sql<T = Record<string, unknown>>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  let pool = pools.get(url);
  if (!pool) {
    pool = new Pool({ connectionString: url, max: 5, idleTimeoutMillis: 5_000, allowExitOnIdle: true });
    pool.on('error', () => undefined); // a database that is dropped ends its connections
    pools.set(url, pool);
  }
  return (await pool.query(text, values)).rows as T[];
}

/** Ends the connections that `sql` keeps to a database: a template must have none. */
export async function disconnect(url: string): Promise<void> {
  const pool = pools.get(url);
  pools.delete(url);
  await pool?.end();
}

/**
 * A fresh database with the tables of all kinds that this test file has loaded, cloned from a template that the first
 * file with these kinds makes: the committed migrations, then what the test-only kinds add.
 * @param template names the set of kinds
 */
export async function createDatabase(template: string): Promise<{ url: string; drop(): Promise<void> }> {
  const kinds = registeredKinds().map(({ kind }) => kind);
  const digest = createHash('sha256').update(kinds.sort().join()).digest('hex').slice(0, 8);
  const source = `template_${template}_${digest}`; // so that a name that two sets share does no harm
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [source]);
    if (!rowCount) await makeTemplate(client, source);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

/** Columns, constraints and indexes: everything that a schema is. */
export async function shapeOf(url: string): Promise<unknown> {
  const rows = await sql<{ about: string; shape: string }>(
    url,
    `SELECT c.relname AS about, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
       (SELECT collname FROM pg_collation o WHERE o.oid = a.attcollation), a.attnotnull, a.attidentity,
       pg_get_expr(d.adbin, d.adrelid)) AS shape
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
     UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT conrelid::regclass::text, concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
     ORDER BY 1, 2`,
  );
  return rows.map(({ about, shape }) => `${about}: ${shape}`);
}

async function makeTemplate(client: Client, name: string): Promise<void> {
  const draft = `${name}_draft`; // a failed try leaves no half template behind
  await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${draft}`);
  const dataSource = await connect({
    url: urlOf(draft),
    statementTimeoutMs: 60_000,
    progress: () => undefined,
  });
  try {
    for (const statement of (await pendingSchema(dataSource)).up) await dataSource.query(statement);
    await dataSource.query('CREATE EXTENSION pg_stat_statements');
  } finally {
    await dataSource.destroy();
  }
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
}

async function dropDatabase(name: string): Promise<void> {
  await disconnect(urlOf(name));
  await sql(serverUrl(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
