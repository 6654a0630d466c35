import cookie from '@fastify/cookie';
import { fastify } from 'fastify';
import { serve } from './child.js';
import { ARTICLES, SESSIONS, UNCOUNTED, WHOAMI } from './constants.js';
import { list, listSchema, uncounted } from './reference/article-list.js';
import { changeSchema, create, createSchema, read, update } from './reference/articles.js';
import { Refusal } from './reference/common.js';
import { login, loginSchema } from './reference/sessions.js';
import { whoami } from './reference/users.js';

/*
 * The reference: what an expert writes by hand for these routes. Fastify and a pg pool, named prepared statements, exact
 * totals by count(*) at the same time as the page, JSON schemas for input, one statement for each write. It answers the
 * same JSON, byte for byte (same.ts), and lets the same people see and do the same things, on the same tables. It has
 * none of the service's other duties: no logs, request ids, security headers, ETags, warnings, rate limits, no sessions
 * that last longer while they are used.
 */

/** A wrong value is 442, one that is missing 441. */
function codeOf(error: Error & { validation?: { keyword: string }[] }): { status: number; code: number } {
  if (error instanceof Refusal) return error;
  if (!error.validation) return { status: 500, code: 500 };
  return { status: 422, code: error.validation[0]?.keyword === 'required' ? 441 : 442 };
}

await serve(async () => {
  const app = fastify({ logger: false });
  await app.register(cookie);
  app.setErrorHandler((error: Error, _request, reply) => {
    const { status, code } = codeOf(error);
    void reply.code(status).send({ error: { code, message: error.message, data: null } });
  });
  app.get(`${ARTICLES}/:id`, read);
  app.get(ARTICLES, { schema: { querystring: listSchema } }, list);
  app.get(UNCOUNTED, { schema: { querystring: listSchema } }, uncounted);
  app.post(ARTICLES, { schema: { body: createSchema } }, create);
  app.put(`${ARTICLES}/:id`, { schema: { body: changeSchema } }, update);
  app.get(WHOAMI, whoami);
  app.post(SESSIONS, { schema: { body: loginSchema } }, login);
  return app.listen({ host: '127.0.0.1', port: 0 });
});
