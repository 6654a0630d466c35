import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { type Account } from './account.js';
import { type Binaries } from './binaries.js';
import { hasCode } from './errno.js';
import { giveFolder, handFolder } from './folder.js';
import { lastLines, runTool } from './run-tool.js';

/** The database's only role and the name of the database. */
export const DATABASE_NAME = 'kindred';

/** The paths of the embedded database. */
export interface ClusterPaths {
  dataDir: string;
  cluster: string;
  log: string;
  password: string;
}

/** The paths below an absolute data folder. */
export function clusterPaths(dataDir: string): ClusterPaths {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    log: join(dataDir, 'postgres.log'),
    password: join(dataDir, 'postgres-password'),
  };
}

/** Options for creating or opening a cluster. `durable: false` skips the flush to disk of a new one (tests). */
export interface ClusterOptions {
  paths: ClusterPaths;
  binaries: Binaries;
  account: Account | undefined;
  durable: boolean;
  progress: (line: string) => void;
}

/**
 * Creates the cluster if there is none, gives it to the account, and returns the role's password.
 * @throws StartupError if PostgreSQL can't create or open it.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { paths, account } = options;
  refuseDamaged(paths.cluster);
  removeDrafts(paths.dataDir);
  const known = readPassword(paths.password);
  const password = known ?? newPassword(paths.password);
  if (!isCluster(paths.cluster)) await initialise(options, password);
  else {
    if (account !== undefined && statSync(paths.cluster).uid === 0) giveFolder(paths.cluster, account);
    if (known === undefined) await setPassword(options, password);
  }
  return password;
}

/** Whether the folder has a complete cluster. A new one gets its name only when it is complete. */
export function isCluster(cluster: string): boolean {
  return VITAL.every((name) => existsSync(join(cluster, name)));
}

const DRAFT = 'postgres.init-';
/** An initdb whose parent was killed may still be writing for a moment. */
const REMOVE = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** Removes leftovers of a first start that was killed. */
function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(DRAFT)) rmSync(join(dataDir, name), REMOVE);
  }
}

async function initialise(options: ClusterOptions, password: string): Promise<void> {
  const { paths, binaries, account, durable, progress } = options;
  progress(`Making a new PostgreSQL cluster in ${paths.cluster}`);
  const draft = mkdtempSync(join(paths.dataDir, DRAFT));
  mkdirSync(join(draft, 'cluster'), { mode: 0o700 });
  writeFileSync(join(draft, 'password'), `${password}\n`, { mode: 0o600 });
  if (account !== undefined) giveFolder(draft, account);
  const folder = handFolder(draft, account);
  try {
    const args = ['-D', `${folder.path}/cluster`, '-U', DATABASE_NAME, '-A', 'scram-sha-256', '-E', 'UTF8'];
    args.push(`--pwfile=${folder.path}/password`, '--no-instructions', ...localeArguments());
    if (!durable) args.push('--no-sync');
    const { code, output } = await runTool(binaries.initdb, args, { account, fd: folder.fd });
    if (code !== 0) {
      // Containers may run under a bare number.
      const fix = /could not look up effective user/.test(output)
        ? ': run as a user that has a name (in /etc/passwd), or set DATABASE_URL'
        : '';
      throw new StartupError(
        `PostgreSQL could not make its cluster in ${paths.dataDir} (${lastLines(output)})${fix}.`,
      );
    }
    moveIntoPlace(join(draft, 'cluster'), paths.cluster);
    if (durable) flushFolder(paths.dataDir);
  } finally {
    folder.close();
    rmSync(draft, REMOVE);
  }
}

/** An empty or half-made folder of that name holds nothing that a server ever committed. */
function moveIntoPlace(made: string, cluster: string): void {
  if (existsSync(cluster)) rmSync(cluster, { recursive: true });
  renameSync(made, cluster);
}

/** Two files that every complete cluster has. */
const VITAL = ['PG_VERSION', join('global', 'pg_control')];

/** Refuses a cluster with missing files. Its owner must restore it; an empty one must never replace it. */
function refuseDamaged(cluster: string): void {
  const missing = VITAL.filter((name) => !existsSync(join(cluster, name)));
  if (missing.length !== 1) return;
  throw new StartupError(
    `${cluster} holds a damaged cluster (no ${missing[0]}): restore it from a backup or move it away.`,
  );
}

/** PostgreSQL's own C.UTF-8 sorts alike everywhere; character classes come from the system, where it has C.UTF-8. */
function localeArguments(): string[] {
  if (process.platform === 'linux') return ['--locale-provider=builtin', '--locale=C.UTF-8'];
  const shared = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  return process.platform === 'darwin' ? [...shared, '--lc-ctype=en_US.UTF-8'] : shared;
}

/** The password kept beside the cluster, or undefined. */
export function readPassword(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes a new password, completely or not at all. It needs no escaping in a URL. */
function newPassword(path: string): string {
  const password = randomBytes(24).toString('base64url');
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${password}\n`, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(draft, path);
  return password;
}

/** Sets a new password without a server, if the file is missing (a partial restore): we own the files. */
async function setPassword(
  { paths, binaries, account, progress }: ClusterOptions,
  password: string,
): Promise<void> {
  progress(`${paths.password} was missing; setting a new database password`);
  const folder = handFolder(paths.cluster, account);
  try {
    const input = `ALTER ROLE ${DATABASE_NAME} PASSWORD '${password}';\n`;
    const args = ['--single', '-D', folder.path, 'postgres'];
    const { code, output } = await runTool(binaries.postgres, args, { account, fd: folder.fd, input });
    if (code === 0 && !/ERROR|FATAL/.test(output)) return;
    rmSync(paths.password, { force: true });
    throw new StartupError(`A new password could not be set in ${paths.cluster}: ${lastLines(output)}`);
  } finally {
    folder.close();
  }
}

function flushFolder(folder: string): void {
  if (process.platform === 'win32') return; // Folders can't be flushed there.
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
