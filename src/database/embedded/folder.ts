import { chownSync, closeSync, lchownSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Account } from './account.js';

/** The descriptor of a folder in the child: the first after stdin, stdout and stderr. */
export const FOLDER_FD = 3;

/** A folder's path for a child process, and the descriptor to pass to it, if one is needed. */
export interface HandedFolder {
  path: string;
  fd: number | undefined;
  close(): void;
}

/**
 * Makes a folder usable by a child that runs as `account`, which may have no rights on the parent folders (a clone in root's
 * home). On Linux the child inherits an open descriptor and uses /proc/self/fd, which needs no rights on the parents, and
 * PostgreSQL's own children inherit it too. Elsewhere it uses the plain path.
 */
export function handFolder(folder: string, account: Account | undefined): HandedFolder {
  if (account === undefined || process.platform !== 'linux')
    return { path: folder, fd: undefined, close() {} };
  const fd = openSync(folder, 'r');
  return { path: `/proc/self/fd/${FOLDER_FD}`, fd, close: () => closeSync(fd) };
}

/** Gives a folder and its content to the account. Links are not followed. */
export function giveFolder(folder: string, { uid, gid }: Account): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveFolder(path, { uid, gid });
    else lchownSync(path, uid, gid);
  }
  if (lstatSync(folder).isDirectory()) chownSync(folder, uid, gid);
}
