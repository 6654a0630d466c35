import { StartupError } from '../common/startup-error.js';

/** The sentence of the StartupError that a declaration ends in. */
export function complaint(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error('The declaration was taken.');
}
