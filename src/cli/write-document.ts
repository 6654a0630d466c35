import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/config.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { ApiVersions } from '../record/api-versions.js';
import { OpenApiDocument } from '../openapi/openapi-document.js';

/*
 * `npm run openapi`: writes docs/openapi.json, and for each further version of the API a file such as
 * docs/openapi.v2.json; that of a version that is gone is deleted. The documents are those of the running service, so this
 * starts one, in a folder and a database of its own and with the default settings.
 */

const FOLDER = 'docs';
/** The document of a version that is not API_VERSION. */
const OF_VERSION = /^openapi\.v\d+\.json$/;

async function main(): Promise<void> {
  // Imported here, because a wrong declaration of a kind throws while its module is loaded.
  const { createApp } = await import('../bootstrap.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'kindred-openapi-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  try {
    const env = { DATA_DIR: dataDir, DATABASE_URL: postgres.url, CRON_CONCURRENCY: '0', LOG_LEVEL: 'error' };
    const config = loadConfig(env);
    const app = await createApp({ config, databaseUrl: postgres.url, progress: () => undefined });
    const document = app.get(OpenApiDocument);
    const written = new Set<string>();
    for (const version of app.get(ApiVersions).names) {
      const name = version === config.apiVersion ? 'openapi.json' : `openapi.${version}.json`;
      await writeFile(join(FOLDER, name), document.of(version).body);
      written.add(name);
    }
    for (const name of await readdir(FOLDER)) {
      if (OF_VERSION.test(name) && !written.has(name)) await rm(join(FOLDER, name));
    }
    await app.close();
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
