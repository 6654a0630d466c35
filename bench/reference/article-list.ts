import type { FastifyRequest } from 'fastify';
import { STATUSES } from '../constants.js';
import { type ArticleRow, COLUMNS, type Item, items, owns } from './articles.js';
import { ids, type Link, pool, type Viewer, viewerOf } from './common.js';
import { userItem, usersById } from './users.js';

/* The list: a page in the order of creation, with an exact total by count(*) at the same time, filters, search, includes. */

interface ListQuery {
  page: number;
  itemsPerPage: number;
  status?: string;
  _start_views?: number;
  _end_views?: number;
  search?: string;
  includeRelated?: 'user';
  includeLinks: boolean;
  includeMeta: boolean;
}

type ListRequest = FastifyRequest<{ Querystring: ListQuery }>;

export const listSchema = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
    itemsPerPage: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    status: { type: 'string', enum: STATUSES },
    _start_views: { type: 'integer' },
    _end_views: { type: 'integer' },
    search: { type: 'string', minLength: 1, maxLength: 256 },
    includeRelated: { type: 'string', enum: ['user'] },
    includeLinks: { type: 'boolean', default: false },
    includeMeta: { type: 'boolean', default: false },
  },
};

/** The rows that were loaded: a total that costs nothing. */
const LOADED = Number(process.env.ROWS);

export async function list(request: ListRequest): Promise<object> {
  const viewer = await viewerOf(request);
  const where = conditions(request.query);
  const [rows, total] = await Promise.all([pageOf(request.query, where), countOf(where)]);
  return answer(request.query, rows, total, viewer);
}

/** The same without counting: what a list costs whose total is known. */
export async function uncounted(request: ListRequest): Promise<object> {
  const viewer = await viewerOf(request);
  return answer(request.query, await pageOf(request.query, conditions(request.query)), LOADED, viewer);
}

interface Where {
  /** Which conditions there are: each combination is a statement of its own, prepared once. */
  name: string;
  text: string;
  values: unknown[];
}

function conditions({ status, _start_views, _end_views, search }: ListQuery): Where {
  const pattern = search === undefined ? undefined : `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const given = (
    [
      ['status', 'status =', status],
      ['from', 'views >=', _start_views],
      ['to', 'views <=', _end_views],
      ['search', 'title_search LIKE', pattern],
    ] as const
  ).filter(([, , value]) => value !== undefined);
  return {
    name: given.map(([name]) => name).join('_'),
    text: given.length ? ` WHERE ${given.map(([, sql], i) => `${sql} $${i + 1}`).join(' AND ')}` : '',
    values: given.map(([, , value]) => value),
  };
}

async function pageOf(
  { page, itemsPerPage }: ListQuery,
  { name, text, values }: Where,
): Promise<ArticleRow[]> {
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const { rows } = await pool.query<ArticleRow>({
    name: `article_list_${name}`,
    text: `SELECT ${COLUMNS} FROM dummyarticles${text} ORDER BY "createdAt", id LIMIT ${limit} OFFSET ${offset}`,
    values: [...values, itemsPerPage, (page - 1) * itemsPerPage],
  });
  return rows;
}

async function countOf({ name, text, values }: Where): Promise<number> {
  const { rows } = await pool.query<{ count: string }>({
    name: `article_count_${name}`,
    text: `SELECT count(*) FROM dummyarticles${text}`,
    values,
  });
  return Number(rows[0]?.count);
}

async function answer(
  query: ListQuery,
  rows: readonly ArticleRow[],
  totalItems: number,
  viewer: Viewer | null,
): Promise<object> {
  const { page, itemsPerPage } = query;
  const totalPages = Math.ceil(totalItems / itemsPerPage);
  const paging = {
    page,
    nextPage: Math.min(page + 1, Math.max(totalPages, 1)),
    previousPage: Math.max(page - 1, 1),
    itemsPerPage,
    totalItems,
    totalPages,
  };
  return { paging, items: await withIncludes(query, rows, items(rows, viewer), viewer) };
}

/** Puts links, meta and the users beside the props. */
async function withIncludes(
  query: ListQuery,
  rows: readonly ArticleRow[],
  plain: readonly Item[],
  viewer: Viewer | null,
): Promise<readonly object[]> {
  const { includeLinks, includeMeta, includeRelated } = query;
  if (!includeLinks && !includeMeta && !includeRelated) return plain;
  const users = includeRelated ? await usersById(rows.map((row) => row.userId)) : null;
  const articleIds = ids.encodeAll(
    'DummyArticle',
    rows.map((row) => row.id),
  );
  return plain.map((item, i) => {
    const userId = rows[i]?.userId ?? '';
    const isOwner = owns(viewer, userId);
    const user = users?.get(userId);
    return {
      ...item,
      ...(includeLinks && { links: linksOf(articleIds[i] ?? '', viewer, isOwner) }),
      ...(includeMeta && { meta: { kind: 'DummyArticle', isOwner } }),
      ...(users && { related: { user: user ? userItem(user, viewer, query) : null } }),
    };
  });
}

function linksOf(id: string, viewer: Viewer | null, isOwner: boolean): Record<string, Link> {
  const base = '/api/v1/dummyarticles';
  const self = `${base}/${id}`;
  return {
    base: { href: base, methods: viewer ? ['GET', 'POST'] : ['GET'], usage: 'rest' },
    self: { href: self, methods: isOwner ? ['GET', 'PUT', 'DELETE'] : ['GET'], usage: 'rest' },
    user: { href: `${self}/user`, methods: ['GET'], usage: 'rest' },
  };
}
