import { existsSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { runNodeOrExit } from './run.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { fingerprint, isStamped, stamp } from './stamp.mjs';

const STAMP = inRoot('dist', '.kindred-stamp');
const INPUT = ['src', 'ormconfig.ts', 'tsconfig.json', 'nest-cli.json', 'package-lock.json'].map((name) =>
  inRoot(name),
);

/** Compiles src/ to dist/ when anything that the result depends on has changed. */
export async function ensureBuilt() {
  const wanted = fingerprint(INPUT);
  if (isStamped(STAMP, wanted)) return;
  await withSetupLock(async () => {
    if (isStamped(STAMP, wanted)) return;
    console.error('Building (nest build) …');
    await runNodeOrExit([inRoot('node_modules/@nestjs/cli/bin/nest.js'), 'build'], 'The build');
    stamp(STAMP, wanted);
  });
}

/** Whether this is a checkout; an image of the service holds only dist/ and its dependencies. */
export function hasSources() {
  return existsSync(inRoot('src', 'main.ts'));
}
