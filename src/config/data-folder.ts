import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../common/startup-error.js';

/**
 * Creates the data folder if it does not exist, and checks that this process can write to it. Otherwise the first import
 * would fail.
 * @throws StartupError if it can't be created or written to
 */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await rmdir(await mkdtemp(join(dataDir, '.write-')));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new StartupError(
      `The data folder ${JSON.stringify(dataDir)} can’t be written to (${reason}): fix its permissions, or set DATA_DIR to another one.`,
      { cause },
    );
  }
}
