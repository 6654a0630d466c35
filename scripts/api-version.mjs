// npm run api-version -- <number>: the short form of `nest g api-version` (schematics/api-version).
import './lib/node-version.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT } from './lib/paths.mjs';

process.chdir(ROOT);
await ensureInstalled();
const { runGenerator } = await import('../schematics/lib/command.mjs');
process.exitCode = await runGenerator('api-version', process.argv.slice(2), 'npm run api-version --');
