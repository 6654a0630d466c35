// npm run migration:show, :run, :revert (src/cli/migrate.ts).
import './lib/node-version.mjs';
import { ensureBuilt, hasSources } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
if (hasSources()) {
  await ensureInstalled();
  await ensureBuilt();
}
process.exitCode = await runNode([inRoot('dist/src/cli/migrate.js'), ...process.argv.slice(2)]);
