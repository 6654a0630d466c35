// npm run types: the types of everything, the documents' example too.
import { inRoot, ROOT } from './lib/paths.mjs';
import { writeDocsExample } from './lib/docs-example.mjs';
import { runNode } from './lib/run.mjs';

process.chdir(ROOT);
writeDocsExample({ links: false });
process.exitCode = await runNode([
  inRoot('node_modules/typescript/bin/tsc'),
  '--noEmit',
  '-p',
  'tsconfig.json',
]);
