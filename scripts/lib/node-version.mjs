// Imported for its effect, before anything that an old Node could not run.
import { isSupportedNode } from './supported-node.mjs';

if (!isSupportedNode(process.versions.node)) {
  console.error(
    'Kindred needs Node.js 20.19, 22.13, 24.11 or newer, this is ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org.',
  );
  process.exit(1);
}
