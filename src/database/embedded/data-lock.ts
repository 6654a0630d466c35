import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { hasCode, pause } from './errno.js';
import { folderIdentity } from './folder-identity.js';
import { birthOf, isRunning } from './processes.js';

/** A held lock. `release` is idempotent and synchronous, so that it can run while the process exits. */
export interface DataLock {
  release(): void;
}

interface Holder {
  pid: number;
  /** Boot and start time of the process, where the system tells: containers hand out the same pids again and again. */
  born: string | null;
  /** The locked folder: the lock in a copy of it does not lock the copy. */
  folder: string | null;
}

const TAKEOVER_WAIT_MS = 5_000;

/**
 * Takes `<dataDir>/kindred.lock` for this process.
 * @throws StartupError when a living process holds it.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  const path = join(dataDir, 'kindred.lock');
  const { lock, holder } = await take(path);
  if (lock !== undefined) return lock;
  throw new StartupError(
    `${dataDir} is in use by process ${holder.pid}: stop that one first, or give this one a folder of its own ` +
      `(DATA_DIR) or a database of its own (DATABASE_URL).`,
  );
}

/** The living process that holds the lock of a data folder, or null. */
export function holderOfDataFolder(dataDir: string): number | null {
  const found = read(join(dataDir, 'kindred.lock'));
  const holder = found === undefined ? undefined : holderOf(found);
  return holder !== undefined && isHolding(holder, dataDir) ? holder.pid : null;
}

type Taken = { lock: DataLock; holder?: undefined } | { lock?: undefined; holder: Holder };

/**
 * The lock appears completely (a link to a finished file). A stale lock is replaced by rename, and only by the holder of a
 * second lock of the same sort, for the takeover: nobody else can replace the lock that it has read, so two processes never
 * both win. If the holder dies during a takeover, its second lock is stale too.
 */
async function take(path: string): Promise<Taken> {
  const dataDir = dirname(path);
  const folder = folderIdentity(dataDir) ?? null;
  const mine = JSON.stringify({ pid: process.pid, born: birthOf(process.pid), folder, nonce: randomUUID() });
  const draft = join(dataDir, `.lock-${randomUUID()}`);
  const lock: DataLock = {
    release() {
      if (read(path) === mine) rmSync(path, { force: true });
    },
  };
  writeFileSync(draft, mine, { flag: 'wx', mode: 0o600 });
  try {
    for (const deadline = Date.now() + TAKEOVER_WAIT_MS; ; await pause(25)) {
      if (linked(draft, path)) return { lock };
      const found = read(path);
      if (found === undefined) continue;
      const holder = holderOf(found);
      if (holder !== undefined && isHolding(holder, dataDir)) return { holder };
      const takeover = await take(`${path}.takeover`);
      if (takeover.lock !== undefined) {
        try {
          if (read(path) !== found) continue;
          renameSync(draft, path);
          return { lock };
        } finally {
          takeover.lock.release();
        }
      }
      if (Date.now() > deadline) return { holder: takeover.holder };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EINVAL')) throw error;
  }
  // A file system without hard links: a plain exclusive create is the next best thing.
  try {
    writeFileSync(path, readFileSync(draft), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const { pid, born, folder } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' && pid > 0
      ? { pid, born: born ?? null, folder: folder ?? null }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether that process lives, and meant this folder. */
function isHolding({ pid, born, folder }: Holder, dataDir: string): boolean {
  if (folder !== null && folder !== folderIdentity(dataDir)) return false;
  if (!isRunning(pid)) return false;
  const now = birthOf(pid);
  return born === null || now === null || now === born;
}
