import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A hash over the contents and names of files and folders (hidden ones inside folders left out) and plain words. */
export function fingerprint(paths, words = []) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const path of paths) add(hash, path);
  return hash.digest('hex');
}

function add(hash, path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
    return;
  }
  const names = readdirSync(path).filter((name) => !name.startsWith('.'));
  for (const name of names.sort()) add(hash, join(path, name));
}

/** Whether a step was finished for just this input: its stamp is written last. */
export function isStamped(file, value) {
  return existsSync(file) && readFileSync(file, 'utf8').trim() === value;
}

/** Notes that a step was finished. */
export function stamp(file, value) {
  writeFileSync(file, `${value}\n`);
}
