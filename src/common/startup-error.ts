/**
 * A failure of the start that the operator can fix. `message` is one line that says what is wrong and how to fix it.
 * `main.ts` prints only that, without a stack, and exits with 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
