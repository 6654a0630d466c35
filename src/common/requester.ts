/** The client that a read or a write is for. Those that wait are queued fairly by it. */
export interface Requester {
  /** The same for all requests of one user or, without a session, of one network. */
  readonly fairnessKey: string;
  /** Whether the client has disconnected. */
  isGone(): boolean;
  /** Whether so many sent bytes are still unread that no further large response should be built. */
  hasBackpressure(): boolean;
}

/** The service itself. */
export const INTERNAL_REQUESTER: Requester = {
  fairnessKey: '',
  isGone: () => false,
  hasBackpressure: () => false,
};

/** Combines requesters that share one result. It is dropped when all of them have disconnected. */
export function combineRequesters(requesters: readonly Requester[]): Requester {
  const [first = INTERNAL_REQUESTER] = requesters;
  if (requesters.length < 2) return first;
  return {
    fairnessKey: first.fairnessKey,
    isGone: () => requesters.every((requester) => requester.isGone()),
    hasBackpressure: () => requesters.every((requester) => requester.hasBackpressure()),
  };
}
