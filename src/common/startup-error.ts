/**
 * A reason not to start that the operator can fix. `message` is one line, names what is wrong and what to do about
 * it; `main.ts` prints it alone, without a stack, and exits with 1.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
