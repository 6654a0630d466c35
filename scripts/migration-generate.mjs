// npm run migration:generate -- <name>: writes the migration that the declared kinds need (src/cli/generate-migration.ts),
// and brings the API's description and the client's types up to date with them.
import './lib/node-version.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
await ensureInstalled();
await ensureBuilt();
process.exitCode = await runNode([inRoot('dist/src/cli/generate-migration.js'), ...process.argv.slice(2)]);
if (process.exitCode === 0) {
  const prettier = inRoot('node_modules/prettier/bin/prettier.cjs');
  process.exitCode = await runNode([prettier, '--write', '--log-level', 'warn', 'src/database/migrations']);
  await import('./openapi.mjs');
  await import('./client.mjs');
  process.stderr.write('Brought docs/ and client/ up to date.\n');
}
