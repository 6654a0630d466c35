import { chownSync, closeSync, lchownSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Account } from './account.js';

/** The number that a folder handed to a child gets there: the first after stdin, stdout and stderr. */
export const FOLDER_FD = 3;

/** A folder as a child process may name it, and the open descriptor to hand to that child, if one is needed. */
export interface HandedFolder {
  path: string;
  fd: number | undefined;
  close(): void;
}

/**
 * Makes a folder usable by a child that runs as `account`. The account may have no rights on the folders above (a clone
 * in root's home), so on Linux the child inherits an open descriptor and goes through /proc/self/fd, which asks nothing
 * of the parents and which PostgreSQL's own children inherit in turn. Elsewhere the plain path must do.
 */
export function handFolder(folder: string, account: Account | undefined): HandedFolder {
  if (account === undefined || process.platform !== 'linux')
    return { path: folder, fd: undefined, close() {} };
  const fd = openSync(folder, 'r');
  return { path: `/proc/self/fd/${FOLDER_FD}`, fd, close: () => closeSync(fd) };
}

/** Gives a folder and all that it holds to the account. Links are changed themselves, never followed. */
export function giveFolder(folder: string, { uid, gid }: Account): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveFolder(path, { uid, gid });
    else lchownSync(path, uid, gid);
  }
  if (lstatSync(folder).isDirectory()) chownSync(folder, uid, gid);
}
