// A library, for a test file: what Node.js itself has loaded, once for all test files of a worker. Goes with
// environment.cjs: only in the process's own context are its classes the ones that the tests know.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');

const own = readFileSync(require.resolve('./native-module.cjs'));

module.exports = {
  getCacheKey(source, path, { supportsDynamicImport, supportsStaticESM }) {
    const asked = JSON.stringify([path, supportsDynamicImport, supportsStaticESM, process.version]);
    return createHash('sha256').update(own).update(asked).update(source).digest('hex').slice(0, 32);
  },
  process(source, path, { supportsDynamicImport, supportsStaticESM }) {
    // Jest's global set-up and the environment run in Node.js as it is.
    if (!supportsDynamicImport) return { code: source };
    const library = `globalThis[Symbol.for('kindred.require')](${JSON.stringify(path)})`;
    if (!supportsStaticESM) return { code: `module.exports = ${library};` };
    const names = Object.keys(require(path)).map((name) => JSON.stringify(name));
    const exported = names.map((name, i) => `const v${i} = library[${name}]; export { v${i} as ${name} };`);
    return { code: [`const library = ${library};`, ...exported].join('\n') };
  },
};
