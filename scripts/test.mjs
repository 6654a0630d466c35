// npm test: installs and builds what is missing, runs Jest with the arguments given (npm test -- <args>), passes on its exit code
// and ends with the line "N passed, N failed".
import './lib/node-version.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { followParent } from './lib/follow-parent.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ROOT, inRoot } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
followParent();
await ensureInstalled();
await ensureBuilt(); // Jest's global set-up runs the embedded database from the build.

const folder = mkdtempSync(join(tmpdir(), 'kindred-test-'));
const totalsFile = join(folder, 'totals.json');
const code = await runNode(
  [
    '--experimental-vm-modules', // Jest runs ES modules.
    '--disable-warning=ExperimentalWarning',
    '--max-semi-space-size=64', // MiB: requests leave much that is short-lived, which would be collected all the time.
    inRoot('node_modules/jest/bin/jest.js'),
    ...process.argv.slice(2),
    '--reporters=default', // Last: Jest would take names that follow for reporters.
    `--reporters=${inRoot('scripts/lib/count-reporter.mjs')}`,
  ],
  { ...process.env, KINDRED_TEST_TOTALS: totalsFile },
);
const totals = readTotals();
rmSync(folder, { recursive: true, force: true });
if (code !== 0) totals.failed ||= 1; // Jest failed outside a test: its set-up, its arguments, no tests found.
process.exitCode = code;
console.log(`${totals.passed} passed, ${totals.failed} failed`);

function readTotals() {
  try {
    return JSON.parse(readFileSync(totalsFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 0 };
  }
}
