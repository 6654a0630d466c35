// npm run test:under-load: the whole suite beside a machine that is busy with other work, as many CI machines are. A test that
// trusts a clock instead of waiting for what it needs fails here. LOAD is the number of busy processes, by default 6 for
// each core: with those of the tests the load is about ten for each. Arguments go to Jest.
import './lib/node-version.mjs';
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { inRoot } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

if (process.send) {
  // Until whoever started us is gone.
  process.on('disconnect', () => process.exit());
  const turn = () => {
    for (const end = performance.now() + 50; performance.now() < end;);
    setImmediate(turn);
  };
  turn();
} else {
  const count = Number(process.env.LOAD || 6 * availableParallelism());
  if (!Number.isInteger(count) || count < 1) throw new Error('LOAD must be a whole number from 1.');
  const busy = Array.from({ length: count }, () => fork(fileURLToPath(import.meta.url)));
  console.log(`${count} busy processes beside the tests`);
  try {
    process.exitCode = await runNode([inRoot('scripts', 'test.mjs'), ...process.argv.slice(2)]);
  } finally {
    for (const child of busy) child.kill();
  }
}
