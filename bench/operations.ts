import type { Ids } from '../src/record/ids.js';
import { STATUSES } from './article.js';
import type { Login } from './load-data.js';
import { USERS } from './load-data.js';

export const ARTICLES = '/api/v1/articles';

export interface BenchRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Something that is measured: a name, and requests of it with random ids, pages and values. */
export interface Operation {
  readonly name: string;
  readonly request: () => BenchRequest;
}

/** Public ids prepared per operation or login, so that encoding them costs the load generator nothing. */
const SAMPLE = 20_000;
/** Lists look at the first rows alone: the price of deep pages is a question of its own. */
const LISTED_ROWS = 1000;

/** The measured operations on `rows` loaded articles. */
export function operations(rows: number, logins: readonly Login[], ids: Ids): Operation[] {
  const anyId = ids.encodeAll(
    'Article',
    Array.from({ length: Math.min(rows, SAMPLE) }, () => String(1 + below(rows))),
  );
  const owned = logins.map(({ userId }) => {
    const count = Math.min(Math.floor((rows - userId) / USERS) + 1, SAMPLE / logins.length);
    return ids.encodeAll(
      'Article',
      Array.from({ length: count }, (_, i) => String(userId + i * USERS)),
    );
  });
  return [
    { name: 'read one', request: () => ({ method: 'GET', path: `${ARTICLES}/${pick(anyId)}` }) },
    { name: 'list 10', request: () => ({ method: 'GET', path: `${ARTICLES}?page=${page(rows, 10)}` }) },
    {
      name: 'list 100',
      request: () => ({ method: 'GET', path: `${ARTICLES}?itemsPerPage=100&page=${page(rows, 100)}` }),
    },
    {
      name: 'create',
      request: () => ({ method: 'POST', path: ARTICLES, headers: json(pick(logins)), body: newArticle() }),
    },
    {
      name: 'update',
      request: () => {
        const who = below(logins.length);
        return {
          method: 'PUT',
          path: `${ARTICLES}/${pick(owned[who] ?? [])}`,
          headers: json(logins[who]),
          body: JSON.stringify({
            title: `Changed title ${below(1e9)} of sixty characters, or not`,
            views: below(1e6),
          }),
        };
      },
    },
  ];
}

/** Headers of a logged-in caller who sends JSON. */
export function json(login: Login | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(login && { cookie: `appSessionId=${login.token}` }),
  };
}

/** The body of a create, as long as the loaded articles. */
export function newArticle(): string {
  return JSON.stringify({
    title: `A new title ${below(1e9)} of about sixty characters all in all`,
    body: 'Lorem ipsum dolor sit amet. '.repeat(11),
    status: pick(STATUSES),
    views: below(1e6),
    editorNote: 'Not for everybody',
  });
}

/** A random whole number from 0, below `n`. */
export const below = (n: number): number => Math.floor(Math.random() * n);

const page = (rows: number, perPage: number): number => 1 + below(Math.min(rows, LISTED_ROWS) / perPage);

function pick<T>(list: readonly T[]): T {
  const item = list[below(list.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}
