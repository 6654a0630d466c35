// npm run types: the types of everything, the README's example too.
import { inRoot, ROOT } from './lib/paths.mjs';
import { writeReadmeExample } from './lib/readme-example.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
writeReadmeExample({ links: false });
process.exitCode = await runNode([
  inRoot('node_modules/typescript/bin/tsc'),
  '--noEmit',
  '-p',
  'tsconfig.json',
]);
