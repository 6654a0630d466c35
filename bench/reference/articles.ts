import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUSES } from '../constants.js';
import { ids, loggedIn, pool, Refusal, type Viewer, viewerOf } from './common.js';

/* Read, create and update: one statement each, beside that of the session. */

export interface ArticleRow {
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

export interface Item {
  props: object;
}

interface ArticleBody {
  title?: string;
  body?: string | null;
  status?: string;
  views?: number;
  editorNote?: string | null;
}

export const COLUMNS = 'id, "createdAt", "updatedAt", title, body, status, views, "editorNote", "userId"';
const FIELDS = ['title', 'body', 'status', 'views', 'editorNote'] as const;

export const changeSchema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 120 },
    body: { type: ['string', 'null'], maxLength: 65535 },
    status: { type: 'string', enum: STATUSES },
    views: { type: 'integer', minimum: 0 },
    editorNote: { type: ['string', 'null'], maxLength: 256 },
  },
  additionalProperties: false,
};
export const createSchema = { ...changeSchema, required: ['title'] };

/** Whether the viewer owns a row. */
export const owns = (viewer: Viewer | null, userId: string): boolean =>
  viewer !== null && (viewer.admin || viewer.userId === userId);

/** Rows → items; the note only where the viewer owns the row. */
export function items(rows: readonly ArticleRow[], viewer: Viewer | null): Item[] {
  const articleIds = ids.encodeAll(
    'DummyArticle',
    rows.map((row) => row.id),
  );
  const userIds = ids.encodeAll(
    'User',
    rows.map((row) => row.userId),
  );
  return rows.map((row, i) => ({
    props: {
      id: articleIds[i],
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      title: row.title,
      body: row.body,
      status: row.status,
      views: Number(row.views),
      ...(owns(viewer, row.userId) ? { editorNote: row.editorNote } : {}),
      userId: userIds[i],
    },
  }));
}

export async function read(request: FastifyRequest<{ Params: { id: string } }>): Promise<object> {
  const viewer = await viewerOf(request);
  const { rows } = await pool.query<ArticleRow>({
    name: 'article_read',
    text: `SELECT ${COLUMNS} FROM dummyarticles WHERE id = $1`,
    values: [rowIdOf(request.params.id)],
  });
  return only(rows, viewer);
}

export async function create(
  request: FastifyRequest<{ Body: ArticleBody }>,
  reply: FastifyReply,
): Promise<object> {
  const viewer = await loggedIn(request);
  const { title, body = null, status = 'draft', views = 0, editorNote = null } = request.body;
  const { rows } = await pool.query<ArticleRow>({
    name: 'article_create',
    text: `INSERT INTO dummyarticles (title, body, status, views, "editorNote", "userId")
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
    values: [title, body, status, views, editorNote, viewer.userId],
  });
  void reply.code(201);
  return only(rows, viewer);
}

export async function update(
  request: FastifyRequest<{ Params: { id: string }; Body: ArticleBody }>,
): Promise<object> {
  const viewer = await loggedIn(request);
  const id = rowIdOf(request.params.id);
  const given = FIELDS.filter((field) => request.body[field] !== undefined);
  const sets = [...given.map((field, i) => `"${field}" = $${i + 4}`), '"updatedAt" = clock_timestamp()'];
  const { rows } = await pool.query<ArticleRow>({
    name: `article_update_${given.join('_')}`,
    text: `UPDATE dummyarticles SET ${sets.join(', ')} WHERE id = $1 AND ("userId" = $2 OR $3) RETURNING ${COLUMNS}`,
    values: [id, viewer.userId, viewer.admin, ...given.map((field) => request.body[field])],
  });
  if (!rows.length) {
    const found = await pool.query('SELECT 1 FROM dummyarticles WHERE id = $1', [id]);
    throw found.rowCount ? new Refusal(403, 'Only owners may do this.') : new Refusal(404, 'Not found.');
  }
  return only(rows, viewer);
}

function rowIdOf(publicId: string): string {
  const id = ids.decode('DummyArticle', publicId);
  if (id === null) throw new Refusal(404, 'Not found.');
  return id;
}

function only(rows: readonly ArticleRow[], viewer: Viewer | null): object {
  const [item] = items(rows, viewer);
  if (!item) throw new Refusal(404, 'Not found.');
  return item;
}
