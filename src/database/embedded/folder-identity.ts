import { statSync } from 'node:fs';

/** The server setting with the folder that it was started on. PostgreSQL accepts any name with a dot. */
export const FOLDER_SETTING = 'kindred.folder';

/**
 * Identifies a folder by device and inode, `dev:ino`. A copy is another folder; a moved folder is the same. Undefined if
 * that is not known.
 */
export function folderIdentity(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
