import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes entries of a folder without writes for `ageMs` milliseconds. The folder may be missing. */
export async function sweepFolder(folder: string, ageMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const written = (await stat(path).catch(() => null))?.mtimeMs ?? Infinity;
    if (written < Date.now() - ageMs) await rm(path, { recursive: true, force: true });
  }
}
