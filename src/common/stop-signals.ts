const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals that come this close (ms) are one wish: a terminal sends Ctrl-C to npm and to us, and npm passes it on. */
const SAME_WISH_MS = 1000;

/**
 * Resolves when the process is asked to stop. Who asks again does not want to wait: `again` is called. `nohup` makes no
 * difference: Node.js forgets at its start which signals were ignored.
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
