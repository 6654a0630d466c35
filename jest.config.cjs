// ESM under Jest: run with --experimental-vm-modules (scripts/test.mjs does).
const swc = {
  module: { type: 'es6' },
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};
// light-my-request is CommonJS and requires `cookie`, which is ESM only; Jest can't do that before Node 24.9.
const cookie = {
  module: { type: 'commonjs' },
  jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } },
};

module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testRegex: '\\.(e2e-)?spec\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    'node_modules/cookie/.+\\.js$': ['@swc/jest', cookie],
  },
  transformIgnorePatterns: ['/node_modules/(?!cookie/)'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  maxWorkers: 2,
  testTimeout: 60000,
  cacheDirectory: '<rootDir>/.cache/jest',
};
