// npm run api-version -- <number>: the short form of `nest g api-version` (schematics/api-version), which also brings the API's
// description and the client's types up to date with it.
import './lib/node-version.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
await ensureInstalled();
const { runGenerator } = await import('../schematics/lib/command.mjs');
const args = process.argv.slice(2);
process.exitCode = await runGenerator('api-version', args, 'npm run api-version --');
const isWritten = process.exitCode === 0 && !args.some((arg) => /^(--dry-run|--help|-[dh]+)$/.test(arg));
if (isWritten) await describe();

async function describe() {
  for (const script of ['openapi', 'client']) {
    process.exitCode = await runNode([inRoot('scripts', `${script}.mjs`)]);
    if (process.exitCode === 0) continue;
    process.stderr.write(
      'The version is there, its description and its client are not: fix what is said above, then npm run openapi and npm run client.\n',
    );
    return;
  }
  process.stderr.write('Brought docs/ and client/ up to date.\n');
}
