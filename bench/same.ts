import type { Ids } from '../src/record/ids.js';
import { type Login, ownerOf } from './load-data.js';
import { ARTICLES, below, json, newArticle } from './operations.js';
import type { ServerProcess } from './server-process.js';

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly login?: Login;
  readonly body?: string;
}

interface Outcome {
  readonly status: number;
  readonly text: string;
}

/**
 * Proves that service and reference do the same: the same bytes for reads and lists, by whomever; the same bytes but
 * for new ids and times for writes; the same status for refusals. Throws at the first difference.
 * @returns how many answers were compared
 */
export async function checkSame(
  servers: readonly [ServerProcess, ServerProcess],
  rows: number,
  logins: readonly Login[],
  ids: Ids,
): Promise<number> {
  const [owner, other] = logins;
  if (!owner || !other) throw new Error('Two logins are needed.');
  const idOf = (row: number) => ids.encode('Article', String(row));
  const random = Array.from({ length: 10 }, () => 1 + below(rows));
  const mine = idOf(owner.userId + 1000 * below((rows - owner.userId) / 1000));
  const lists = ['', '?page=3', '?itemsPerPage=100', '?itemsPerPage=100&page=7', '?itemsPerPage=7&page=5'];
  const last = `?page=${Math.ceil(rows / 10)}`;
  const beyond = `?page=${Math.ceil(rows / 10) + 5}`;
  const reads: Call[] = [
    ...random.map((row) => ({ path: `${ARTICLES}/${idOf(row)}` })),
    ...random.map((row) => ({ path: `${ARTICLES}/${idOf(row)}`, login: logins[ownerOf(row) - 1] ?? other })),
    { path: `${ARTICLES}/${mine}`, login: owner },
    { path: `${ARTICLES}/${mine}`, login: other },
    ...[...lists, last, beyond].map((query) => ({ path: `${ARTICLES}${query}` })),
    { path: ARTICLES, login: owner },
  ];
  const writes: Call[] = [
    { method: 'POST', path: ARTICLES, login: owner, body: newArticle() },
    { method: 'POST', path: ARTICLES, login: other, body: '{"title":"Only a title"}' },
  ];
  const changes: Call[] = [1, 2].map((n) => ({
    method: 'PUT',
    path: `${ARTICLES}/${mine}`,
    login: owner,
    body: JSON.stringify({ title: `Changed ${n}`, views: n }),
  }));
  const refusals: Call[] = [
    { path: `${ARTICLES}/${idOf(rows + 1_000_000_000)}` },
    { path: `${ARTICLES}/vNoSuchId` },
    { path: `${ARTICLES}?page=0` },
    { method: 'POST', path: ARTICLES, body: newArticle() },
    { method: 'POST', path: ARTICLES, login: owner, body: '{"title":"A","status":"lost"}' },
    { method: 'PUT', path: `${ARTICLES}/${mine}`, login: other, body: '{"views":1}' },
    { method: 'PUT', path: `${ARTICLES}/${mine}`, body: '{"views":1}' },
    { method: 'PUT', path: `${ARTICLES}/${idOf(rows + 1_000_000_000)}`, login: owner, body: '{"views":1}' },
    { path: `${ARTICLES}/${mine}`, login: { userId: 0, token: 'vNoSession' } },
  ];
  for (const call of reads) await compare(servers, call, (text) => text);
  for (const call of [...writes, ...changes]) await compare(servers, call, withoutNews);
  await compare(servers, { path: `${ARTICLES}/${mine}`, login: owner }, (text) => text);
  for (const call of refusals) await compare(servers, call, codeOf);
  return reads.length + writes.length + changes.length + 1 + refusals.length;
}

async function compare(
  servers: readonly [ServerProcess, ServerProcess],
  call: Call,
  form: (text: string) => string,
): Promise<void> {
  const [service, reference] = [await send(servers[0], call), await send(servers[1], call)];
  if (service.status === reference.status && form(service.text) === form(reference.text)) return;
  const who = call.login ? `user ${call.login.userId}` : 'anonymous';
  throw new Error(
    `Service and reference differ: ${call.method ?? 'GET'} ${call.path} by ${who}\n` +
      `  service   ${service.status} ${service.text}\n  reference ${reference.status} ${reference.text}`,
  );
}

async function send(server: ServerProcess, { method = 'GET', path, login, body }: Call): Promise<Outcome> {
  const headers = body === undefined && !login ? {} : json(login);
  const response = await fetch(server.url + path, { method, headers, body });
  return { status: response.status, text: await response.text() };
}

/** What two creates or changes can't have in common. */
function withoutNews(text: string): string {
  return text
    .replace(/"id":"v[0-9A-Za-z]{8,28}"/, '"id":""')
    .replaceAll(/"(createdAt|updatedAt)":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"$1":""');
}

/** Refusals agree in their code; each says it in words of its own. */
function codeOf(text: string): string {
  const { error } = JSON.parse(text) as { error: { code: number } };
  return String(error.code);
}
