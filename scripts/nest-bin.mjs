// After npm has installed: makes `nest` the command of schematics/bin/nest.mjs. The Nest CLI refuses options that it
// does not know, so `nest g kind … --props …` would not reach our generators. Where there is no Nest CLI (an install
// without dev dependencies) or npm links no commands (Windows), nothing is done.
import { chmodSync, existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { inRoot } from './lib/paths.mjs';

const link = inRoot('node_modules', '.bin', 'nest');
const target = inRoot('schematics', 'bin', 'nest.mjs');
if (
  process.platform !== 'win32' &&
  existsSync(link) &&
  lstatSync(link).isSymbolicLink() &&
  existsSync(target)
) {
  chmodSync(target, 0o755);
  rmSync(link);
  symlinkSync('../../schematics/bin/nest.mjs', link);
}
