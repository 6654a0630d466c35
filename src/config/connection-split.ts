/** How the connections of one instance are divided. */
export interface ConnectionSplit {
  /** For transactions: TypeORM's pool. */
  readonly pool: number;
  /** For short reads, many under way on each. */
  readonly point: number;
  /** For short reads that a lock holds up. */
  readonly aside: number;
  /** For reads that may be slow, one at a time on each. */
  readonly list: number;
}

/** What has one connection of its own: background jobs, their notifications, the readiness probe, the counting of rows. */
const SINGLE = 4;
const POINT = 2;
/** Of what is left, the part for slow reads. */
const LIST_PART = 0.27;

/** Least that an instance can do with. */
export const LEAST_CONNECTIONS = 10;

/** Divides DATABASE_CONNECTIONS, which bounds what one instance has open at any time. */
export function splitConnections(all: number): ConnectionSplit {
  const aside = all < 20 ? 1 : 3;
  const left = all - SINGLE - POINT - aside;
  const list = Math.max(2, Math.round(left * LIST_PART));
  return { pool: left - list, point: POINT, aside, list };
}
