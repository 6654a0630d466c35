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

module.exports = {
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testRegex: '\\.(e2e-)?spec\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    '/node_modules/.+\\.[cm]?js$': '<rootDir>/test/jest/native-module.cjs',
  },
  transformIgnorePatterns: [],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/jest/sequencer.cjs',
  // One more than a small machine has cores: tests wait for PostgreSQL and for processes.
  maxWorkers: 3,
  // Generous: a busy machine makes tests slow, and one that hangs is noticed all the same.
  testTimeout: 300000,
  cacheDirectory: '<rootDir>/.cache/jest',
};
