import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../../config/startup-error.js';
import { type Binaries } from './binaries.js';
import { pause } from './errno.js';
import { commandOf, isRunning } from './processes.js';
import { signalServer } from './signals.js';

/** How long a server may take to end by each signal, in milliseconds. */
const PATIENCE = [
  { signal: 'INT', ms: 30_000 },
  { signal: 'QUIT', ms: 10_000 },
] as const;

/**
 * Stops a server that a killed service left running on this cluster; what it had committed stays. Call it while holding
 * the data folder's lock: then nobody else can be using that server.
 * @throws StartupError when the server doesn't end.
 */
export async function stopLeftover(
  cluster: string,
  { binaries, progress }: { binaries: Binaries; progress: (line: string) => void },
): Promise<void> {
  const found = readPidFile(cluster);
  if (found === undefined || !isRunning(found.pid)) return;
  const command = commandOf(found.pid);
  if (command === undefined) return; // Can't tell; PostgreSQL itself refuses a folder that may be in use.
  if (!isServer(command, found)) {
    // The number now belongs to another process, which PostgreSQL would take for a living server.
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
    return;
  }
  progress(`Stopping the PostgreSQL (process ${found.pid}) that an earlier run left behind`);
  for (const { signal, ms } of PATIENCE) {
    await signalServer(binaries, found.pid, signal);
    for (const deadline = Date.now() + ms; Date.now() < deadline; await pause(25)) {
      if (!isRunning(found.pid)) return;
    }
  }
  throw new StartupError(
    `A PostgreSQL of an earlier run (process ${found.pid}) still uses ${cluster} and does not end: stop it and start again.`,
  );
}

/** The server that runs on this cluster, as its own file says and the list of processes confirms; else undefined. */
export function runningServer(cluster: string): PidFile | undefined {
  const found = readPidFile(cluster);
  if (found === undefined || !isRunning(found.pid)) return undefined;
  const command = commandOf(found.pid);
  return command !== undefined && isServer(command, found) ? found : undefined;
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
 * Process and port both agree with what that server wrote into its own folder. (The working folder would say more, but
 * root in a container may not look at it.)
 */
function isServer(command: string, { port }: PidFile): boolean {
  return /\bpostgres\b/.test(command) && (process.platform === 'win32' || command.includes(` -p ${port} `));
}
