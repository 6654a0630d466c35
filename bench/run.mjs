// npm run bench: installs what is missing, compiles src/ and bench/ together, the way the service itself is compiled,
// into .cache/bench/ (so nothing of the benchmark is ever in dist/), and runs main.ts with the arguments given.
import '../scripts/lib/node-version.mjs';
import { followParent } from '../scripts/lib/follow-parent.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { ROOT, inRoot } from '../scripts/lib/paths.mjs';
import { runNodeOrExit } from '../scripts/lib/run.mjs';
import { withSetupLock } from '../scripts/lib/setup-lock.mjs';
import { fingerprint, isStamped, stamp } from '../scripts/lib/stamp.mjs';

const STAMP = inRoot('.cache', 'bench', '.stamp');
const INPUT = ['src', 'bench', 'tsconfig.json', 'package-lock.json'].map((name) => inRoot(name));

process.chdir(ROOT);
followParent();
await ensureInstalled();
await withSetupLock(build);
await import('../.cache/bench/bench/main.js');

async function build() {
  const wanted = fingerprint(INPUT);
  if (isStamped(STAMP, wanted)) return;
  console.log('Building the service and its benchmark (nest build) …');
  const nest = inRoot('node_modules/@nestjs/cli/bin/nest.js');
  await runNodeOrExit(
    [nest, 'build', '-c', 'bench/nest-cli.json', '-p', 'bench/tsconfig.build.json'],
    'The build',
  );
  stamp(STAMP, wanted);
}
