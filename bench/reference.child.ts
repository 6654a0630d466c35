import cookie from '@fastify/cookie';
import { createHash } from 'node:crypto';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { Pool } from 'pg';
import { Ids } from '../src/record/ids.js';
import { STATUSES } from './article.js';
import { serve } from './child.js';

/*
 * The reference: what an expert writes by hand for this one kind. Fastify and a pg pool, named prepared statements,
 * exact totals by count(*) at the same time as the page, JSON schemas for input, one statement for each write. It
 * answers the same JSON, byte for byte (same.ts), and lets the same people see and do the same things. It has none of
 * the service's other duties: no logs, request ids, security headers, ETags, warnings, includes, filters or search.
 *
 * Public ids are made by the service's own code (src/record/ids.ts), since the JSON must be the same. It costs about
 * 1.5 µs an id and one AES call a column of a page: an expert who wants ids that can't be guessed would pay no less.
 */

interface ArticleRow {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  title: string;
  body: string | null;
  status: string;
  views: string;
  editorNote: string | null;
  userId: string;
}

interface ArticleBody {
  title?: string;
  body?: string | null;
  status?: string;
  views?: number;
  editorNote?: string | null;
}

interface Viewer {
  userId: string;
  admin: boolean;
}

const FIELDS = ['title', 'body', 'status', 'views', 'editorNote'] as const;
const COLUMNS = 'id, "createdAt", "updatedAt", title, body, status, views, "editorNote", "userId"';

const bodyProperties = {
  title: { type: 'string', minLength: 1, maxLength: 120 },
  body: { type: ['string', 'null'], maxLength: 65535 },
  status: { type: 'string', enum: STATUSES },
  views: { type: 'integer', minimum: 0 },
  editorNote: { type: ['string', 'null'], maxLength: 256 },
};
const listSchema = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
    itemsPerPage: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  },
};

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const ids = new Ids(process.env.APP_SECRET ?? '');

/** The user of the session cookie; null without one. The same look-up as the service's: one statement, by hash. */
async function viewerOf(request: FastifyRequest): Promise<Viewer | null> {
  const token = request.cookies.appSessionId;
  if (!token) return null;
  const { rows } = await pool.query<Viewer>({
    name: 'session',
    text: `SELECT s."userId", u.admin FROM sessions s JOIN users u ON u.id = s."userId"
      LEFT JOIN apikeys k ON k.id = s."apiKeyId"
      WHERE s."tokenHash" = $1 AND s."expiresAt" > now() AND (k."expiresAt" IS NULL OR k."expiresAt" > now())`,
    values: [createHash('sha256').update(token).digest('hex')],
  });
  if (!rows[0]) throw new Refusal(401, 'Log in first.');
  return rows[0];
}

async function loggedIn(request: FastifyRequest): Promise<Viewer> {
  const viewer = await viewerOf(request);
  if (!viewer) throw new Refusal(401, 'Log in first.');
  return viewer;
}

function rowIdOf(publicId: string): string {
  const id = ids.decode('Article', publicId);
  if (id === null) throw new Refusal(404, 'There is nothing here.');
  return id;
}

/** Rows → items; the note only where the viewer owns the row. */
function items(rows: readonly ArticleRow[], viewer: Viewer | null): { props: object }[] {
  const articleIds = ids.encodeAll(
    'Article',
    rows.map((row) => row.id),
  );
  const userIds = ids.encodeAll(
    'User',
    rows.map((row) => row.userId),
  );
  return rows.map((row, i) => {
    const isOwner = viewer !== null && (viewer.admin || viewer.userId === row.userId);
    return {
      props: {
        id: articleIds[i],
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
        title: row.title,
        body: row.body,
        status: row.status,
        views: Number(row.views),
        ...(isOwner ? { editorNote: row.editorNote } : {}),
        userId: userIds[i],
      },
    };
  });
}

function only(rows: readonly ArticleRow[], viewer: Viewer | null): object {
  const [item] = items(rows, viewer);
  if (!item) throw new Refusal(404, 'There is nothing here.');
  return item;
}

async function read(request: FastifyRequest<{ Params: { id: string } }>): Promise<object> {
  const viewer = await viewerOf(request);
  const { rows } = await pool.query<ArticleRow>({
    name: 'article_read',
    text: `SELECT ${COLUMNS} FROM articles WHERE id = $1`,
    values: [rowIdOf(request.params.id)],
  });
  return only(rows, viewer);
}

async function list(
  request: FastifyRequest<{ Querystring: { page: number; itemsPerPage: number } }>,
): Promise<object> {
  const viewer = await viewerOf(request);
  const { page, itemsPerPage } = request.query;
  const [{ rows }, count] = await Promise.all([
    pool.query<ArticleRow>({
      name: 'article_list',
      text: `SELECT ${COLUMNS} FROM articles ORDER BY "createdAt", id LIMIT $1 OFFSET $2`,
      values: [itemsPerPage, (page - 1) * itemsPerPage],
    }),
    pool.query<{ count: string }>({ name: 'article_count', text: 'SELECT count(*) FROM articles' }),
  ]);
  const totalItems = Number(count.rows[0]?.count);
  const totalPages = Math.ceil(totalItems / itemsPerPage);
  const paging = {
    page,
    nextPage: Math.min(page + 1, Math.max(totalPages, 1)),
    previousPage: Math.max(page - 1, 1),
    itemsPerPage,
    totalItems,
    totalPages,
  };
  return { paging, items: items(rows, viewer) };
}

async function create(request: FastifyRequest<{ Body: ArticleBody }>, reply: FastifyReply): Promise<object> {
  const viewer = await loggedIn(request);
  const { title, body = null, status = 'draft', views = 0, editorNote = null } = request.body;
  const { rows } = await pool.query<ArticleRow>({
    name: 'article_create',
    text: `INSERT INTO articles (title, body, status, views, "editorNote", "userId")
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
    values: [title, body, status, views, editorNote, viewer.userId],
  });
  void reply.code(201);
  return only(rows, viewer);
}

async function update(
  request: FastifyRequest<{ Params: { id: string }; Body: ArticleBody }>,
): Promise<object> {
  const viewer = await loggedIn(request);
  const id = rowIdOf(request.params.id);
  const given = FIELDS.filter((field) => request.body[field] !== undefined);
  const sets = [...given.map((field, i) => `"${field}" = $${i + 4}`), '"updatedAt" = clock_timestamp()'];
  const { rows } = await pool.query<ArticleRow>({
    name: `article_update_${given.join('_')}`,
    text: `UPDATE articles SET ${sets.join(', ')} WHERE id = $1 AND ("userId" = $2 OR $3) RETURNING ${COLUMNS}`,
    values: [id, viewer.userId, viewer.admin, ...given.map((field) => request.body[field])],
  });
  if (!rows.length) {
    const found = await pool.query('SELECT 1 FROM articles WHERE id = $1', [id]);
    throw found.rowCount
      ? new Refusal(403, 'Only owners may do this.')
      : new Refusal(404, 'There is nothing here.');
  }
  return only(rows, viewer);
}

await serve(async () => {
  const app = fastify({ logger: false });
  await app.register(cookie);
  app.setErrorHandler((error: Error, _request, reply) => {
    const invalid = 'validation' in error;
    const status = error instanceof Refusal ? error.status : invalid ? 422 : 500;
    void reply
      .code(status)
      .send({ error: { code: invalid ? 442 : status, message: error.message, data: null } });
  });
  const bodySchema = { type: 'object', properties: bodyProperties, additionalProperties: false };
  app.get('/api/v1/articles/:id', read);
  app.get('/api/v1/articles', { schema: { querystring: listSchema } }, list);
  app.post('/api/v1/articles', { schema: { body: { ...bodySchema, required: ['title'] } } }, create);
  app.put('/api/v1/articles/:id', { schema: { body: bodySchema } }, update);
  return app.listen({ host: '127.0.0.1', port: 0 });
});
