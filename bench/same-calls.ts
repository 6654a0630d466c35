import type { Ids } from '../src/record/ids/ids.js';
import { ARTICLES, SESSIONS, UNCOUNTED, USERS, WHOAMI } from './constants.js';
import { type Key, type Login, ownerOf } from './load-data.js';
import {
  below,
  type BenchRequest,
  deepPage,
  filters,
  headersOf,
  INCLUDES,
  login,
  newArticle,
  pick,
  twoWords,
} from './operations.js';
import type { BenchDatabase } from './stage.js';

/** A request that both sides are sent, and in what their answers must be the same. */
export interface Call extends BenchRequest {
  /** The whole text; the text but for ids, tokens and times that are new; or the code of the refusal. */
  readonly same: 'text' | 'but for news' | 'code';
  /** Where the reference answers this, if not at the same path. */
  readonly referencePath?: string;
}

/** What is compared: everything that is measured, by those who may and those who may not, and the edges of it. */
export function sameCalls(data: BenchDatabase, ids: Ids): Call[] {
  const { rows, callers } = data;
  const [owner, other] = callers.logins;
  if (!owner || !other) throw new Error('Two logins are needed.');
  const idOf = (row: number) => ids.encode('DummyArticle', String(row));
  const mine = idOf(owner.userId + USERS * below((rows - owner.userId) / USERS));
  const strange = idOf(rows + 1_000_000_000);
  const of = { owner, other, mine, strange, idOf };
  return [
    ...reads(rows, callers.logins, of),
    ...lists(rows, of),
    ...writes(of),
    ...logins(callers.keys, ids),
    ...refusals(of),
  ];
}

interface Of {
  readonly owner: Login;
  readonly other: Login;
  /** Public ids of an article of `owner`, and of one that is not there. */
  readonly mine: string;
  readonly strange: string;
  readonly idOf: (row: number) => string;
}

function reads(rows: number, all: readonly Login[], { owner, other, mine, idOf }: Of): Call[] {
  const random = Array.from({ length: 10 }, () => 1 + below(rows));
  return [
    ...random.map((row) => get(`${ARTICLES}/${idOf(row)}`)),
    ...random.map((row) => get(`${ARTICLES}/${idOf(row)}`, all[ownerOf(row) - 1] ?? other)),
    get(`${ARTICLES}/${mine}`, owner),
    get(`${ARTICLES}/${mine}`, other),
    get(WHOAMI, owner),
    get(WHOAMI, other),
  ];
}

function lists(rows: number, { owner }: Of): Call[] {
  const pages = ['', 'page=3', 'itemsPerPage=100', 'itemsPerPage=100&page=7', 'itemsPerPage=7&page=5'];
  const last = Math.ceil(rows / 10);
  const queries = [
    ...pages,
    `page=${last}`,
    `page=${last + 5}`,
    `page=${deepPage(rows)}`,
    ...Array.from({ length: 5 }, () => filters()),
    `${filters()}&page=2&itemsPerPage=3`,
    'status=draft',
    '_end_views=2026',
    ...Array.from({ length: 5 }, () => `search=${twoWords()}`),
    'search=harbour&page=4',
    'search=HARBOUR%25_&status=archived',
    INCLUDES,
    `${INCLUDES}&page=2&itemsPerPage=100`,
    'includeMeta=true&search=amber',
    'includeLinks=true',
    'includeRelated=user',
  ];
  return [
    ...queries.map((query) => get(`${ARTICLES}?${query}`)),
    ...['', INCLUDES].map((query) => get(`${ARTICLES}?${query}`, owner)),
    ...pages.map((query) => ({
      ...get(`${ARTICLES}?${query}`),
      referencePath: `${UNCOUNTED}?${query}`,
    })),
  ];
}

/** After the lists, since the reference's uncounted total is that of the loaded rows. */
function writes({ owner, other, mine }: Of): Call[] {
  return [
    send('POST', ARTICLES, newArticle(), owner),
    send('POST', ARTICLES, '{"title":"Only a title"}', other),
    ...[1, 2].map((n) =>
      send('PUT', `${ARTICLES}/${mine}`, JSON.stringify({ title: `Changed ${n}`, views: n }), owner),
    ),
    get(`${ARTICLES}/${mine}`, owner),
  ];
}

function logins(keys: readonly Key[], ids: Ids): Call[] {
  const [key, wrong] = [pick(keys), pick(keys)];
  const keyId = ids.encode('APIKey', String(key.id));
  return [
    { ...login(keyId, key.privateKey), same: 'but for news' },
    { ...login(keyId, `${wrong.privateKey}x`), same: 'code' },
    { ...login('vNoSuchKey', key.privateKey), same: 'code' },
    { ...send('POST', SESSIONS, JSON.stringify({ apiKey: keyId })), same: 'code' },
  ];
}

function refusals({ owner, other, mine, strange }: Of): Call[] {
  const nobody = { userId: 0, token: 'vNoSession' };
  const calls = [
    get(`${ARTICLES}/${strange}`),
    get(`${ARTICLES}/vNoSuchId`),
    get(`${ARTICLES}?page=0`),
    get(`${ARTICLES}?itemsPerPage=101`),
    get(`${ARTICLES}?status=lost`),
    get(`${ARTICLES}?_start_views=many`),
    get(`${ARTICLES}?includeRelated=nobody`),
    get(WHOAMI),
    get(WHOAMI, nobody),
    get(`${ARTICLES}/${mine}`, nobody),
    send('POST', ARTICLES, newArticle()),
    send('POST', ARTICLES, '{"title":"A","status":"lost"}', owner),
    send('PUT', `${ARTICLES}/${mine}`, '{"views":1}', other),
    send('PUT', `${ARTICLES}/${mine}`, '{"views":1}'),
    send('PUT', `${ARTICLES}/${strange}`, '{"views":1}', owner),
  ];
  return calls.map((call) => ({ ...call, same: 'code' }));
}

const get = (path: string, caller?: Login): Call => ({
  method: 'GET',
  path,
  headers: headersOf(caller),
  same: 'text',
});

const send = (method: string, path: string, body: string, caller?: Login): Call => ({
  method,
  path,
  headers: headersOf(caller, body),
  body,
  same: 'but for news',
});
