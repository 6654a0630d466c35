import { DATABASE_NAME, clusterPaths, readPassword } from './cluster.js';
import { HOST, ensureDatabase } from './connection.js';
import { StartupError } from '../../common/startup-error.js';
import { holderOfDataFolder } from './data-lock.js';
import { pause } from './errno.js';
import { runningServer } from './leftover.js';

/** A starting service may have to create its cluster or recover from a crash. */
const PATIENCE_MS = 20_000;

/**
 * The URL of the server of another process that holds the data folder; null if nobody does. Waits for a holder that is just
 * starting.
 * @throws StartupError if its server can't be used, or not yet
 */
export async function runningPostgres(dataDir: string): Promise<string | null> {
  const paths = clusterPaths(dataDir);
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const holder = holderOfDataFolder(dataDir);
    if (holder === null) return null;
    const url = await usable(paths.cluster, paths.password);
    if (url !== null) return url;
    if (Date.now() > deadline) {
      throw new StartupError(
        `${dataDir} is in use by process ${holder}, whose database can't be used from here: wait until it has started, ` +
          'and run this as the same user.',
      );
    }
  }
}

async function usable(cluster: string, passwordFile: string): Promise<string | null> {
  try {
    const password = readPassword(passwordFile);
    const server = password === undefined ? undefined : await runningServer(cluster, password);
    if (server === undefined || password === undefined) return null;
    await ensureDatabase({ port: server.port, password }, cluster);
    return `postgres://${DATABASE_NAME}:${password}@${HOST}:${server.port}/${DATABASE_NAME}`;
  } catch {
    return null; // still starting, or not ours to read
  }
}
