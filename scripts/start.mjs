// npm start: installs and builds what is missing or has changed, then runs the service in this very process, so that
// signals reach it directly.
import './lib/node-version.mjs';
import { ensureBuilt, hasSources } from './lib/build.mjs';
import { followParent } from './lib/follow-parent.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT } from './lib/paths.mjs';

process.chdir(ROOT);
followParent();
if (hasSources()) {
  await ensureInstalled();
  await ensureBuilt();
}
await import('../dist/src/main.js');
