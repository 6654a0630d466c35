import { StartupError } from '../../common/startup-error.js';
import { makeDataFolder } from '../../config/data-folder.js';
import { databaseAccount } from './account.js';
import { prepareBinaries } from './binaries.js';
import { DATABASE_NAME, clusterPaths, ensureCluster, readPassword } from './cluster.js';
import { HOST } from './connection.js';
import { lockDataFolder } from './data-lock.js';
import { codeOf, messageOf } from '../../common/error-code.js';
import { onAbruptEnd } from './exit-guard.js';
import { stopLeftover } from './leftover.js';
import { startServer } from './server.js';

/** A PostgreSQL of our own, running. */
export interface EmbeddedPostgres {
  /** postgres://kindred:<password>@127.0.0.1:<port>/kindred; the port differs from start to start. */
  url: string;
  /** Resolves when the server has ended for any reason. It is not restarted: a supervisor restarts the whole service. */
  ended: Promise<void>;
  /** Shuts the server down, waits for its end (20 s at most) and frees the data folder. Idempotent. */
  stop(): Promise<void>;
}

/** Where and how the embedded server runs. */
export interface EmbeddedPostgresOptions {
  /** Absolute. Holds the cluster (`postgres/`), `postgres.log`, `postgres-password` and `kindred.lock`. */
  dataDir: string;
  /** Further server settings, each handed on as `-c name=value`. */
  settings?: Record<string, string>;
  /** Called with each line for the operator. */
  progress?: (line: string) => void;
}

/**
 * Starts the bundled PostgreSQL on a data folder, and creates the cluster at the first start. It listens only on loopback
 * TCP, with a generated password. It writes only to the data folder, except for a copy of the programs in the system's
 * folder for temporary files if the installed ones can't be used.
 * @throws StartupError when the folder is in use, no program runs on this machine, or the server doesn't come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {}, progress = () => {} } = options;
  try {
    makeDataFolder(dataDir, 0o700);
    const lock = await lockDataFolder(dataDir);
    let abandon = (): void => {};
    const callOff = onAbruptEnd(() => {
      abandon();
      lock.release();
    });
    const free = (): void => {
      callOff();
      lock.release();
    };
    try {
      const paths = clusterPaths(dataDir);
      const account = databaseAccount(paths.cluster);
      const binaries = await prepareBinaries(account, progress);
      await stopLeftover(paths.cluster, { binaries, password: readPassword(paths.password), progress });
      const durable = settings['fsync'] !== 'off';
      const password = await ensureCluster({ paths, binaries, account, durable, progress });
      const onSpawn = (kill: () => void): void => void (abandon = kill);
      const server = await startServer({ paths, binaries, account, password, settings, progress, onSpawn });
      let stopping: Promise<void> | undefined;
      return {
        url: `postgres://${DATABASE_NAME}:${password}@${HOST}:${server.port}/${DATABASE_NAME}`,
        ended: server.ended,
        stop: () => (stopping ??= server.stop().finally(free)),
      };
    } catch (error) {
      free();
      throw error;
    }
  } catch (error) {
    throw asStartupError(error, dataDir);
  }
}

/** Turns errors of the operating system (permissions, space, a read-only disk) into messages for the operator. */
function asStartupError(error: unknown, dataDir: string): unknown {
  // Names of Node.js alone: a process that fails has its exit code there.
  if (error instanceof StartupError || /^\d*$/.test(codeOf(error))) return error;
  return new StartupError(
    `The data folder ${dataDir} can't be used (${messageOf(error)}): fix its permissions or set DATA_DIR to another folder.`,
    { cause: error },
  );
}
