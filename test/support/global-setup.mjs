// One embedded PostgreSQL for the whole run; every test file clones its own database from a template in it.
// Reads the build, because Jest resolves no TypeScript here: `npm test` builds first.
import { constants, statfsSync } from 'node:fs';
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startEmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;

/** Where temporary files go: into memory where there is much of it, since clones of databases are many files. */
async function temporaryFolder() {
  try {
    await access(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

export default async function globalSetup() {
  const disk = tmpdir();
  const folder = await temporaryFolder();
  process.env.TMPDIR = folder; // of all that the tests start, too
  const dataDir = await mkdtemp(join(folder, 'kindred-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      shared_preload_libraries: 'pg_stat_statements',
      deadlock_timeout: '200ms',
    },
  });
  process.env.TEST_DATABASE_URL = postgres.url;
  process.env.TEST_DATA_DIR = dataDir;
  // Where the S3-compatible server of the file tests is, once one asks for it (s3.ts). Its user can't enter our folder.
  process.env.TEST_S3_FOLDER = join(disk, `${basename(dataDir)}-s3`);
  process.env.TEST_RUN_PID = String(process.pid);
  globalThis.kindredTest = { postgres, dataDir };
}
