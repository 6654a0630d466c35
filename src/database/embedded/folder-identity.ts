import { statSync } from 'node:fs';

/** The server's setting that names the folder it was started on; PostgreSQL takes any name with a dot in it. */
export const FOLDER_SETTING = 'kindred.folder';

/**
 * What a folder is, whatever it is called: device and inode, `dev:ino`. A copy of it, with all that lies in it, is
 * another folder, and one that was only moved is the same. Undefined where it can't be told.
 */
export function folderIdentity(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
