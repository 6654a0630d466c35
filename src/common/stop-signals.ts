const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals within this time (ms) count as one: a terminal sends Ctrl-C to npm and to us, and npm forwards it as well. */
const SAME_WISH_MS = 1000;

/**
 * Resolves when the process is asked to stop. Calls `again` when it is asked a second time: stop without waiting. `nohup`
 * makes no difference, because Node.js resets ignored signals at its start.
 */
export function untilAskedToStop(again: () => void): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const hear = (): void => {
      const now = performance.now();
      first ??= now;
      resolve();
      if (now - first >= SAME_WISH_MS) again();
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
}
