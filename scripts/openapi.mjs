// npm run openapi: writes docs/openapi.json, the description of the API, and docs/openapi.v2.json of a further version
// (src/cli/write-document.ts).
import './lib/node-version.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runNodeOrExit } from './lib/run.mjs';

process.chdir(ROOT);
await ensureInstalled();
await ensureBuilt();
await runNodeOrExit([inRoot('dist/src/cli/write-document.js')], 'Describing the API');
const prettier = inRoot('node_modules/prettier/bin/prettier.cjs');
await runNodeOrExit([prettier, '--write', '--log-level', 'warn', 'docs/openapi*.json'], 'Formatting');
