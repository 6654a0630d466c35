/** How the connections of one instance are divided. */
export interface ConnectionSplit {
  /** For transactions: TypeORM's pool. */
  readonly pool: number;
  /** For short reads, pipelined on each. */
  readonly point: number;
  /** For short reads that a lock blocks. */
  readonly aside: number;
  /** For reads that may be slow, one at a time on each. */
  readonly list: number;
}

/** Dedicated connections: for background jobs, their notifications, the readiness probe and the counting of rows. */
const SINGLE = 4;
const POINT = 2;
/** The part of the rest that is for slow reads. */
const LIST_PART = 0.27;

/** The minimum for one instance. */
export const LEAST_CONNECTIONS = 10;

/** Divides DATABASE_CONNECTIONS, the limit of the connections that one instance opens. */
export function splitConnections(all: number): ConnectionSplit {
  const aside = all < 20 ? 1 : 3;
  const left = all - SINGLE - POINT - aside;
  const list = Math.max(2, Math.round(left * LIST_PART));
  return { pool: left - list, point: POINT, aside, list };
}
