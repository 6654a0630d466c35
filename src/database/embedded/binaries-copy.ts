import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../common/startup-error.js';
import { hasCode } from './errno.js';

/** How many names are tried if other folders have them. */
const NAMES = 10;
const GROUP_OR_WORLD_WRITABLE = 0o022;

/** The name of a copy, a callback for progress, and the public folder that it is created in. */
export interface CopyOptions {
  name: string;
  onCopy?: (target: string) => void;
  parent?: string;
}

/**
 * Copies a folder of programs to `<parent>/<name>-<uid>`, readable and executable by every account, and returns where
 * it is. Everybody can write to that place, so an existing folder is used only if it is ours, not writable by others and
 * complete; otherwise the next name is tried. The copy appears completely (rename) or not at all.
 * @throws StartupError when no usable place is left.
 */
export function copyBinaries(
  source: string,
  { name, onCopy = () => {}, parent = tmpdir() }: CopyOptions,
): string {
  const stem = join(parent, `${name}-${process.getuid?.() ?? 'user'}`);
  for (let n = 0; n < NAMES; n++) {
    const target = n === 0 ? stem : `${stem}-${n}`;
    if (isTrustworthy(target) && isComplete(source, target)) return target;
    if (isForeign(target)) continue;
    onCopy(target);
    const draft = mkdtempSync(`${stem}-draft-`);
    try {
      copyTree(source, draft);
      // A cleaner of temporary files has deleted parts: replace it. If another start does the same, use its copy.
      rmSync(target, { recursive: true, force: true });
      renameSync(draft, target);
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    if (isTrustworthy(target) && isComplete(source, target)) return target;
  }
  throw new StartupError(
    `${stem} and its like belong to somebody else, so PostgreSQL can't be copied there: remove them, or set TMPDIR.`,
  );
}

function isTrustworthy(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return found.uid === process.getuid?.() && (found.mode & GROUP_OR_WORLD_WRITABLE) === 0;
}

function isForeign(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isTrustworthy(path);
}

/** Every file of the source is there with its size. Links are made by the copy's user anyway. */
function isComplete(source: string, copy: string): boolean {
  return readdirSync(source, { withFileTypes: true }).every((entry) => {
    const from = join(source, entry.name);
    const to = join(copy, entry.name);
    if (entry.isDirectory()) return isComplete(from, to);
    const found = lstatSync(to, { throwIfNoEntry: false });
    if (found === undefined) return false;
    return !entry.isFile() || found.size === lstatSync(from).size;
  });
}

/** Sets all modes, because the source and our umask may exclude others. */
function copyTree(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) copyTree(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else {
      copyFileSync(from, to);
      chmodSync(to, lstatSync(from).mode & 0o100 ? 0o755 : 0o644);
    }
  }
  chmodSync(target, 0o755);
}
