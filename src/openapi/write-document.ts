import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.js';
import { loadConfig } from '../config/config.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { OpenApiDocument } from './openapi-document.js';

/*
 * `npm run openapi`: writes docs/openapi.json. The document is that of the running service, so this starts one, in a
 * folder and a database of its own and with the default settings.
 */

const FILE = join('docs', 'openapi.json');

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-openapi-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  try {
    const env = { DATA_DIR: dataDir, DATABASE_URL: postgres.url, CRON_CONCURRENCY: '0', LOG_LEVEL: 'error' };
    const config = loadConfig(env);
    const app = await createApp({ config, databaseUrl: postgres.url, progress: () => undefined });
    const { body } = app.get(OpenApiDocument).of();
    await app.close();
    await writeFile(FILE, body);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
