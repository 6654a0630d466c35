// Imported for its effect, before anything that an old Node could not run.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    'Kindred needs Node.js 20.19 or newer, this is ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org.',
  );
  process.exit(1);
}
