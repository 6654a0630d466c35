/** Pauses before the second, third and fourth try, in milliseconds. */
const RETRY_AFTER = [60_000, 120_000, 240_000];
const MAX_CHARACTERS = 2000;

/** Tries of one run at most. */
export const MAX_ATTEMPTS = RETRY_AFTER.length + 1;

/** How a try ended. */
export type Outcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'queued'; readonly error: string; readonly retryAfter: number };

/** Trying again would not help: the job names what is not there. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** A try that threw → tried again after a pause, or failed for good. */
export function failure(thrown: unknown, attempt: number): Outcome {
  const error = messageOf(thrown);
  const retryAfter = RETRY_AFTER[attempt - 1];
  if (thrown instanceof PermanentFailure || retryAfter === undefined) return { status: 'failed', error };
  return { status: 'queued', error, retryAfter };
}

/** One bounded message of whatever was thrown, without a stack, fit for a column of text. */
export function messageOf(thrown: unknown): string {
  let text: string;
  try {
    text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  } catch {
    text = 'The handler threw something that has no text.';
  }
  const clean = text.toWellFormed().replaceAll('\0', '\uFFFD').trim();
  const bounded = [...clean.slice(0, 2 * MAX_CHARACTERS)].slice(0, MAX_CHARACTERS).join('');
  return bounded.toWellFormed() || 'The handler failed without saying why.';
}
