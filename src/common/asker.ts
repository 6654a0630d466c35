/** For whom a read is, so that those who wait for a connection take turns. */
export interface Asker {
  /** The same for all that one user, or one network of callers without a session, asks for. */
  readonly share: string;
  /** Whether the answer would reach nobody. */
  isGone(): boolean;
  /** Whether so much of what it was sent is not read yet that nothing large is made for it meanwhile. */
  isBehind(): boolean;
}

/** What the service asks for on its own account. */
export const THE_SERVICE: Asker = { share: '', isGone: () => false, isBehind: () => false };

/** Several who share the answer to one question: it is dropped when all of them are gone. */
export function together(askers: readonly Asker[]): Asker {
  const [first = THE_SERVICE] = askers;
  if (askers.length < 2) return first;
  return {
    share: first.share,
    isGone: () => askers.every((asker) => asker.isGone()),
    isBehind: () => askers.every((asker) => asker.isBehind()),
  };
}
