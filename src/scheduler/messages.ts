import type { Statement } from '../postgres/statement.js';

/** The PostgreSQL channel on which instances notify each other of changes. */
export const CHANNEL = 'kindred_cron';

/** The parsed payload of a notification; null if it is not ours. */
export type Message = { readonly job: string } | 'runs' | null;

/** Notifies that a job changed. Run it in the transaction that changes the job, so that both are committed together. */
export function notifyJobChanged(id: string): Statement {
  return { text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, `job ${id}`] };
}

/** Notifies that runs were queued. */
export function notifyRunsQueued(): Statement {
  return { text: 'SELECT pg_notify($1, $2)', values: [CHANNEL, 'runs'] };
}

/** The end of a statement: notifies that runs were queued, if the CTE of that name has any row. */
export function notifyRunsQueuedIf(cte: string): string {
  return `SELECT pg_notify('${CHANNEL}', 'runs') FROM (SELECT FROM ${cte} LIMIT 1) one`;
}

/** Parses a payload; null if it is not ours. */
export function parseMessage(payload: string): Message {
  if (payload === 'runs') return 'runs';
  const [, job] = /^job (\d{1,19})$/.exec(payload) ?? [];
  return job === undefined ? null : { job };
}
