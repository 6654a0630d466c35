/*
 * The settings of every session with PostgreSQL. Dates travel as text (pg-values.ts), so time zone and style are ours,
 * whatever the role or the URL says.
 */
const OURS = '-c TimeZone=UTC -c DateStyle=ISO';

/** Milliseconds until a server that does not respond counts as unavailable. */
export const CONNECT_TIMEOUT_MS = 3000;
/** A dead peer is noticed by then even while nothing is asked of it. */
const KEEP_ALIVE_MS = 10_000;

/**
 * How long pg waits on a session with the server.
 * @param statementTimeoutMs longest that a statement may run; 0: no limit
 */
export function sessionLimits(statementTimeoutMs: number) {
  return {
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      // The server's own limit comes first; this one is for a server that no longer responds at all, and gives the
      // connection up with everything on it.
      query_timeout: statementTimeoutMs + 1000,
    }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** Connection settings for pg: `options` in the URL (a search path, say) are kept, ours come after them and win. */
export function sessionSettings(url: string, more = ''): { connectionString: string; options: string } {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options') ?? '';
  // pg lets options of the URL replace those beside it.
  parsed.searchParams.delete('options');
  return { connectionString: parsed.href, options: [given, OURS, more].filter(Boolean).join(' ') };
}
