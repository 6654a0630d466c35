const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** All registered functions. One listener per signal runs them, so that ours can be distinguished from others. */
const acts = new Set<() => void>();

/**
 * Runs `act` (synchronous) when this process exits, or gets a signal that nothing else handles: before the service has
 * handlers, or if it has none. The signal then has its usual effect. Returns a function that cancels this.
 */
export function onAbruptEnd(act: () => void): () => void {
  if (acts.size === 0) listen();
  acts.add(act);
  return () => {
    if (acts.delete(act) && acts.size === 0) unlisten();
  };
}

function listen(): void {
  process.on('exit', actAll);
  // In front, so that a handler for one time only is still there to be counted.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
}

function unlisten(): void {
  process.removeListener('exit', actAll);
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}

function actAll(): void {
  unlisten();
  for (const act of acts) act();
  acts.clear();
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return; // Somebody shuts down in good order, and will stop us.
  actAll();
  process.kill(process.pid, signal);
}
