import { mkdirSync, type Stats, statSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../common/error-code.js';
import { StartupError } from '../common/startup-error.js';

/** What is at a path, or undefined if nothing is. */
const found = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined; // below a file
    throw error;
  }
};

/**
 * Creates the data folder and those above it, if they do not exist. One at a time: in procfs, Node's recursive `mkdir` never
 * ends.
 * @param mode the rights of the folders that it creates
 * @throws StartupError if a file is in the way; otherwise the error of the system
 */
export function makeDataFolder(dataDir: string, mode = 0o777): void {
  const missing: string[] = [];
  let at = resolve(dataDir);
  let there = found(at);
  for (; there === undefined; there = found(at)) {
    missing.unshift(at);
    at = dirname(at);
  }
  if (!there.isDirectory()) {
    throw new StartupError(
      `The data folder ${JSON.stringify(dataDir)} can’t be written to, because ${JSON.stringify(at)} is a file: set DATA_DIR to a folder.`,
    );
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another process that starts at the same time was faster.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Creates the data folder if it does not exist, and checks that this process can write to it. Otherwise the first import
 * would fail.
 * @throws StartupError if it can't be created or written to
 */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    makeDataFolder(dataDir);
    await rmdir(await mkdtemp(join(dataDir, '.write-')));
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new StartupError(
      `The data folder ${JSON.stringify(dataDir)} can’t be written to (${reason}): fix its permissions, or set DATA_DIR to another one.`,
      { cause },
    );
  }
}
