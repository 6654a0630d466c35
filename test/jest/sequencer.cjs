// The order of the test files: first those that take long, so that the last worker isn't busy alone at the end. Jest knows
// how long each took the last time, but in a fresh clone there was none, and the size of a file says little.
const { default: Sequencer } = require('@jest/test-sequencer');

/** Longest first; from about ten seconds on. */
const LONG = [
  'test/generate',
  'test/balancer',
  'test/start-stop',
  'test/files/kill',
  'test/cron/instances',
  'src/database/embedded/embedded-postgres',
  'test/cli',
  'test/every-kind/writes',
  'test/every-kind/lists',
  'test/load', // not beside the builds of the first ones: it measures
  'test/files/flow',
  'test/access-matrix',
  'test/cron/runs',
  'test/openapi/answers',
  'test/files/content',
  'test/files/storage',
  'test/non-interference',
];

const rank = ({ path }) => {
  const found = LONG.findIndex((name) => new RegExp(`/${name}\\.(e2e-)?spec\\.ts$`).test(path));
  return found < 0 ? LONG.length : found;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
