/** Pauses before the second, third and fourth try, in milliseconds. */
const RETRY_AFTER = [60_000, 120_000, 240_000];
const MAX_CHARACTERS = 2000;

/** How many times a run is tried. */
export const MAX_ATTEMPTS = RETRY_AFTER.length + 1;

/** How a try ended. */
export type Outcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'queued'; readonly error: string; readonly retryAfter: number };

/** A failure that a retry would not fix, such as a handler that does not exist. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** The outcome of a try that threw: a retry after a pause, or the final failure. */
export function outcomeOfFailure(thrown: unknown, attempt: number): Outcome {
  const error = messageOf(thrown);
  const retryAfter = RETRY_AFTER[attempt - 1];
  if (thrown instanceof PermanentFailure || retryAfter === undefined) return { status: 'failed', error };
  return { status: 'queued', error, retryAfter };
}

/** A bounded message without a stack for anything thrown. It is valid text for PostgreSQL. */
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
