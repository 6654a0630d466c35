// npm run kind -- <name> [options]: the short form of `nest g kind` (schematics/kind).
import './lib/node-version.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT } from './lib/paths.mjs';

process.chdir(ROOT);
await ensureInstalled();
const { runGenerator } = await import('../schematics/lib/command.mjs');
process.exitCode = await runGenerator('kind', process.argv.slice(2), 'npm run kind --');
