import type { Ids } from '../src/record/ids/ids.js';
import { ARTICLES, SESSIONS, STATUSES, UNCOUNTED, USERS, WHOAMI } from './constants.js';
import type { Callers, Login } from './load-data.js';
import { WORDS } from './words.js';

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
  /** What the reference is asked instead, where it is not the same. */
  readonly referenceRequest?: () => BenchRequest;
  readonly writes?: boolean;
  /** Least ratio of requests/s, service to reference, that is aimed at. */
  readonly target?: number;
}

/** Public ids prepared per operation or login, so that encoding them costs the load generator nothing. */
const SAMPLE = 20_000;
/** Lists look at the first rows alone: the price of deep pages is a question of its own. */
const LISTED_ROWS = 1000;
/** Width of the filtered range of views, which go from 0 to 99 999: a twentieth, of which a third has the status. */
const VIEWS_RANGE = 5000;

/** The measured operations on `rows` loaded articles. */
export function operations(rows: number, { logins, keys }: Callers, ids: Ids): Operation[] {
  const anyId = ids.encodeAll(
    'DummyArticle',
    Array.from({ length: Math.min(rows, SAMPLE) }, () => String(1 + below(rows))),
  );
  const owned = logins.map(({ userId }) => {
    const count = Math.min(Math.floor((rows - userId) / USERS) + 1, SAMPLE / logins.length);
    const rowIds = Array.from({ length: count }, (_, i) => String(userId + i * USERS));
    return ids.encodeAll('DummyArticle', rowIds);
  });
  const keyIds = ids.encodeAll(
    'APIKey',
    keys.map(({ id }) => String(id)),
  );
  const articleOf = (who: number) => `${ARTICLES}/${pick(owned[who % owned.length] ?? [])}`;
  const list10 = (path: string) => () => get(`${path}?page=${page(rows, 10)}`);
  return [
    { name: 'read one', target: 1.6, request: () => get(`${ARTICLES}/${pick(anyId)}`) },
    { name: 'read one (owner)', target: 1.3, request: by(logins, (who) => get(articleOf(who))) },
    { name: 'read one (other)', target: 1.3, request: by(logins, (who) => get(articleOf(who + 1))) },
    { name: 'list 10', target: 6, request: list10(ARTICLES) },
    {
      name: 'list 100',
      target: 5,
      request: () => get(`${ARTICLES}?itemsPerPage=100&page=${page(rows, 100)}`),
    },
    {
      name: 'list 10 (reference without total)',
      target: 1.2,
      request: list10(ARTICLES),
      referenceRequest: list10(UNCOUNTED),
    },
    { name: 'filtered', target: 1.0, request: () => get(`${ARTICLES}?${filters()}`) },
    { name: 'search', target: 1.0, request: () => get(`${ARTICLES}?search=${twoWords()}`) },
    { name: 'deep page', target: 2, request: () => get(`${ARTICLES}?page=${deepPage(rows)}`) },
    { name: 'includes', request: () => get(`${ARTICLES}?${INCLUDES}&page=${page(rows, 10)}`) },
    {
      name: 'create',
      target: 0.8,
      writes: true,
      request: by(logins, () => ({ method: 'POST', path: ARTICLES, body: newArticle() })),
    },
    {
      name: 'update',
      target: 0.75,
      writes: true,
      request: by(logins, (who) => ({ method: 'PUT', path: articleOf(who), body: change() })),
    },
    { name: 'whoami', target: 1.3, request: by(logins, () => get(WHOAMI)) },
    {
      name: 'login',
      writes: true,
      request: () => {
        const one = below(keys.length);
        return login(keyIds[one] ?? '', keys[one]?.privateKey ?? '');
      },
    },
  ];
}

/** Everything that a list can put beside the props. */
export const INCLUDES = 'includeRelated=user&includeLinks=true&includeMeta=true';

/** Headers of a logged-in caller; of one who sends JSON with `body`. */
export function headersOf(caller: Login | undefined, body?: string): Record<string, string> {
  return {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(caller && { cookie: `appSessionId=${caller.token}` }),
  };
}

/** A login by API key. @param apiKey the key's public id */
export function login(apiKey: string, privateKey: string): BenchRequest {
  const body = JSON.stringify({ apiKey, privateKey });
  return { method: 'POST', path: SESSIONS, headers: headersOf(undefined, body), body };
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

/** A status and a range of views. */
export function filters(): string {
  const start = below(100_000 - VIEWS_RANGE);
  return `status=${pick(STATUSES)}&_start_views=${start}&_end_views=${start + VIEWS_RANGE}`;
}

/** What somebody looks for: some 50 of 100 000 titles have it. */
export const twoWords = (): string => `${pick(WORDS)}%20${pick(WORDS)}`;

/** Half way down, give or take a hundredth. */
export const deepPage = (rows: number): number => Math.floor((rows / 10) * (0.49 + 0.02 * Math.random()));

/** A random whole number from 0, below `n`. */
export const below = (n: number): number => Math.floor(Math.random() * n);

/** A random one of `list`. */
export function pick<T>(list: readonly T[]): T {
  const item = list[below(list.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

const page = (rows: number, perPage: number): number => 1 + below(Math.min(rows, LISTED_ROWS) / perPage);

const get = (path: string): BenchRequest => ({ method: 'GET', path });

const change = (): string =>
  JSON.stringify({
    title: `Changed title ${below(1e9)} of sixty characters, or not`,
    views: below(1e6),
  });

/** Requests of a random one of the logged-in users. */
function by(logins: readonly Login[], request: (who: number) => BenchRequest): () => BenchRequest {
  return () => {
    const who = below(logins.length);
    const sent = request(who);
    return { ...sent, headers: headersOf(logins[who], sent.body) };
  };
}
