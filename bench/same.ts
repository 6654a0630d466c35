import type { Ids } from '../src/record/ids/ids.js';
import { SESSION_COOKIE } from '../src/auth/session-cookie.js';
import { WHOAMI } from './constants.js';
import { headersOf, login } from './operations.js';
import { type Call, sameCalls } from './same-calls.js';
import type { ServerProcess } from './server-process.js';
import type { BenchDatabase } from './stage.js';

/** Service and reference. */
type Servers = readonly [ServerProcess, ServerProcess];

interface Outcome {
  readonly status: number;
  readonly text: string;
  /** The session cookie that the answer sets; empty for none. The reference knows no devices, and sets nothing else. */
  readonly cookie: string;
}

/**
 * Proves that service and reference do the same: the same bytes for reads and lists, by whomever; the same bytes but
 * for new ids and times for writes and logins; the same status and code for refusals; sessions that both accept.
 * Throws at the first difference.
 * @returns how many answers were compared
 */
export async function checkSame(servers: Servers, data: BenchDatabase, ids: Ids): Promise<number> {
  const calls = sameCalls(data, ids);
  for (const call of calls) await compare(servers, call);
  const sessions = await checkSessions(servers, data, ids);
  return calls.length + sessions;
}

async function compare(servers: Servers, call: Call): Promise<void> {
  const service = await send(servers[0], call);
  const reference = await send(servers[1], { ...call, path: call.referencePath ?? call.path });
  const forms = [formOf(service, call), formOf(reference, call)] as const;
  if (forms[0] === forms[1]) return;
  const who = call.headers?.cookie ?? 'anonymous';
  const [mine, theirs] = fromDifference(...forms);
  throw new Error(
    `Service and reference differ: ${call.method} ${call.path} by ${who}\n  service   ${mine}\n  reference ${theirs}`,
  );
}

/** Two texts from shortly before their first difference on; a page of records is too long to look at. */
function fromDifference(a: string, b: string): [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const cut = (text: string) => text.slice(Math.max(same - 80, 0), same + 200);
  return [cut(a), cut(b)];
}

/** A login at either side is one at both. @returns how many answers were compared */
async function checkSessions(servers: Servers, { callers }: BenchDatabase, ids: Ids): Promise<number> {
  const key = callers.keys[0];
  if (!key) throw new Error('A key is needed.');
  const request = login(ids.encode('APIKey', String(key.id)), key.privateKey);
  for (const server of servers) {
    const { text } = await send(server, { ...request, same: 'text' });
    const token = (JSON.parse(text) as { props: { id: string } }).props.id;
    const headers = headersOf({ userId: key.id, token });
    const me = { method: 'GET', path: WHOAMI, headers, same: 'text' } as const;
    await compare(servers, me);
    const { status } = await send(server, me);
    if (status !== 200) throw new Error(`A login at the ${server.name} is good for nothing: ${status}.`);
  }
  return servers.length;
}

async function send(server: ServerProcess, { method, path, headers, body }: Call): Promise<Outcome> {
  const response = await fetch(server.url + path, { method, headers, body });
  const text = await response.text();
  return { status: response.status, text, cookie: sessionCookieOf(response) };
}

function sessionCookieOf({ headers }: Response): string {
  return headers.getSetCookie().find((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`)) ?? '';
}

/** What must be the same. */
function formOf({ status, text, cookie }: Outcome, { same }: Call): string {
  switch (same) {
    case 'text':
      return `${status} ${text}`;
    case 'but for news':
      return `${status} ${withoutNews(text)} ${cookie.replace(/=v\w{43};/, '=;')}`;
    case 'code':
      return `${status} ${codeOf(text)}`;
  }
}

/** Without what two creates, changes or logins can't have in common. */
function withoutNews(text: string): string {
  return text
    .replace(/"id":"v[0-9A-Za-z]{8,43}"/, '"id":""')
    .replaceAll(/"(createdAt|updatedAt|expiresAt)":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"$1":""');
}

/** Refusals agree in their code; each says it in words of its own. */
function codeOf(text: string): string {
  const { error } = JSON.parse(text) as { error?: { code: number } };
  return String(error?.code);
}
