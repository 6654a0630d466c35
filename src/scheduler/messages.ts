import type { Statement } from '../postgres/statement.js';

/** The PostgreSQL channel on which instances tell each other what changed. */
export const CHANNEL = 'kindred_cron';

/** What the payload of a message says. */
export type Message = { readonly job: string } | 'runs' | null;

/** To be said in the transaction that changes a job, so that it is heard when, and only when, that is stored. */
export function jobChanged(id: string): Statement {
  return { text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, `job ${id}`] };
}

/** To be said where runs were queued. */
export function runsQueued(): Statement {
  return { text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, 'runs'] };
}

/** The end of a statement: says that runs were queued, if the CTE of that name has any row. */
export function runsQueuedIf(cte: string): string {
  return `SELECT pg_notify('${CHANNEL}', 'runs') FROM (SELECT FROM ${cte} LIMIT 1) one`;
}

/** Understands a payload; null for one that is none of ours. */
export function parseMessage(payload: string): Message {
  if (payload === 'runs') return 'runs';
  const [, job] = /^job (\d{1,19})$/.exec(payload) ?? [];
  return job === undefined ? null : { job };
}
