import { writeFileSync } from 'node:fs';

/**
 * A Jest reporter that leaves the totals in the file named by KINDRED_TEST_TOTALS. A suite that could not even be
 * loaded counts as one failure. Jest asks for a default export.
 */
export default class CountReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const totals = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
    writeFileSync(process.env.KINDRED_TEST_TOTALS, JSON.stringify(totals));
  }
}
