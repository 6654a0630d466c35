// npm run cli -- <command>: builds what has changed, then runs the command in this very process (src/cli.ts).
import './lib/node-version.mjs';
import { ensureBuilt, hasSources } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT } from './lib/paths.mjs';

process.chdir(ROOT);
if (hasSources()) {
  await ensureInstalled();
  await ensureBuilt();
}
await import('../dist/src/cli.js');
