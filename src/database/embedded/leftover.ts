import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { type Binaries } from './binaries.js';
import { folderOfServer } from './connection.js';
import { pause } from './errno.js';
import { FOLDER_SETTING, folderIdentity } from './folder-identity.js';
import { commandOf, isRunning, workingFolderOf } from './processes.js';
import { signalServer } from './signals.js';

/** How long a server may take to end by each signal, in milliseconds. */
const PATIENCE = [
  { signal: 'INT', ms: 30_000 },
  { signal: 'QUIT', ms: 10_000 },
] as const;

/** Options for stopping a leftover server. `password` is the stored one, if there is one. */
export interface LeftoverOptions {
  binaries: Binaries;
  password: string | undefined;
  progress: (line: string) => void;
}

/**
 * Stops a server that a killed service left running on this cluster. Committed data is safe. Call it while holding the data
 * folder's lock, so that nobody else uses that server. A server on another folder, which this one is a copy of, continues.
 * @throws StartupError if the server doesn't end, or if it is not clear whether it belongs to this cluster.
 */
export async function stopLeftover(cluster: string, options: LeftoverOptions): Promise<void> {
  const found = readPidFile(cluster);
  if (found === undefined || !isRunning(found.pid)) return;
  const isOurs = await worksOn(cluster, found, options.password);
  if (isOurs === undefined) {
    throw new StartupError(
      `Process ${found.pid} may be a PostgreSQL that uses ${cluster}: stop it if it is, or else remove postmaster.pid from that folder, and restart.`,
    );
  }
  if (!isOurs) {
    // The pid belongs to another process, which PostgreSQL would take for a running server.
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
    return;
  }
  options.progress(`Stopping the PostgreSQL (process ${found.pid}) that an earlier run left behind`);
  for (const { signal, ms } of PATIENCE) {
    await signalServer(options.binaries, found.pid, signal);
    for (const deadline = Date.now() + ms; Date.now() < deadline; await pause(25)) {
      if (!isRunning(found.pid)) return;
    }
  }
  throw new StartupError(
    `A PostgreSQL of an earlier run (process ${found.pid}) still uses ${cluster} and does not end: stop it and restart.`,
  );
}

/**
 * The server that runs on this cluster; undefined if there is none that certainly belongs to it. The cluster's pid file is
 * only a hint, because a copy has it too.
 */
export async function runningServer(cluster: string, password: string): Promise<PidFile | undefined> {
  const found = readPidFile(cluster);
  if (found === undefined || !isRunning(found.pid)) return undefined;
  const folder = await folderOfServer({ port: found.port, password });
  if (folder !== undefined) return folder === folderIdentity(cluster) ? found : undefined;
  return (await worksOn(cluster, found, password)) === true ? found : undefined;
}

/** A server's process and port. */
interface PidFile {
  pid: number;
  port: number;
}

/** The first line of the file is the server's process, the fourth its port. */
function readPidFile(cluster: string): PidFile | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 1 ? { pid, port: Number(lines[3]) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a process is a server on exactly this folder, by evidence that can't have been copied: its working folder, its
 * arguments, or its own setting. Undefined if that is not known.
 */
async function worksOn(
  cluster: string,
  { pid, port }: PidFile,
  password: string | undefined,
): Promise<boolean | undefined> {
  const command = commandOf(pid);
  if (command !== undefined && !/\bpostgres\b/.test(command)) return false;
  const started = command?.split(`${FOLDER_SETTING}=`)[1]?.split(' ')[0];
  // (Root in a container may not look at the working folder.)
  const folder =
    workingFolderOf(pid) ??
    started ??
    (password === undefined ? undefined : await folderOfServer({ port, password }));
  return folder === undefined ? undefined : folder === folderIdentity(cluster);
}
