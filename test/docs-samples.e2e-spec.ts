import { readFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeDocsExample } from '../scripts/lib/docs-example.mjs';
import { FirstAdmin } from '../src/kinds/user/first-admin.js';
import type { Answer, Json } from './support/client.js';
import { isAsItCame } from './support/own-kinds.js';
import { startTestService, type TestService } from './support/service.js';

/*
 * The requests and answers that the documents show: each request is sent to a service, in the order of the page, and the
 * answer compared. Ids, times and entity tags vary from run to run, so they are compared by where they appear again.
 * `Cookie: appSessionId=…` is the session of olive, who has written two articles (of docs/kinds.md).
 */

const VARYING =
  /(?<=")[^";]*;[\w-]{16}(?=")|(?<=W\/")[\w-]{16}(?=")|\bv[0-9A-Za-z]{20,43}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const TIME = /^\d{4}-[^;]*$/;

/** The varying parts of a page, or of what the service answered for it, in the order of their first appearance. */
class Parts {
  private readonly known: string[] = [];

  /** The text with the number of each varying part in its place. */
  mask(text: string): string {
    return text.replace(VARYING, (part) => (TIME.test(part) ? '<time>' : `<${this.numberOf(part)}>`));
  }

  /** The text with the parts that `others` has under the same numbers. */
  translate(text: string, others: Parts): string {
    return text.replace(VARYING, (part) => others.known[this.known.indexOf(part)] ?? part);
  }

  private numberOf(part: string): number {
    const known = this.known.indexOf(part);
    return known < 0 ? this.known.push(part) - 1 : known;
  }
}

interface Message {
  /** `GET /path` or `HTTP/1.1 200 OK`. */
  readonly start: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function messageOf(text: string): Message {
  const [head = '', ...rest] = text.trim().split('\n\n');
  const [start = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string]);
  return { start, headers: Object.fromEntries(headers), body: rest.join('\n\n') };
}

/** An answer as the documents write it, with those of its headers that they show. */
const written = ({ status, headers, text }: Answer, shown: readonly string[]): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...shown.map((name) => `${name}: ${headers.get(name) ?? ''}`),
    text && JSON.stringify(JSON.parse(text), null, 2),
  ].join('\n');

let service: TestService;
let session = '';

async function send({ start, headers, body }: Message): Promise<Answer> {
  const [method = '', path = ''] = start.split(' ');
  const { Cookie, ...others } = headers;
  const sent: Record<string, string> = { ...(body && { 'Content-Type': 'application/json' }), ...others };
  if (Cookie) sent.Cookie = Cookie.replace('…', session);
  return service.anon.send(method, `/${path}`, { headers: sent, body: body || undefined, anyType: true });
}

const load = (folder: string, path: string) => import(join(folder, path)) as Promise<Record<string, Type>>;

beforeAll(async () => {
  if (!isAsItCame) return;
  const { folder } = writeDocsExample({ links: true });
  const { ArticleModule } = await load(folder, 'src/kinds/article/article.module.ts');
  if (!ArticleModule) throw new Error('docs/kinds.md has no ArticleModule.');
  service = await startTestService({ kinds: [ArticleModule], template: 'docs' });
  await service.app.get(FirstAdmin, { strict: false }).ensure();
});
afterAll(() => service?.stop());

async function addOlive(): Promise<void> {
  const user = { username: 'olive', realName: 'Olive Example', email: 'olive@example.com' };
  const password = 'correct horse battery';
  await service.anon.post('/users', { ...user, useAsDisplayName: 'realName', password });
  const login = await service.anon.post('/sessions', { login: 'olive', password });
  session = (login.body.props as Json).id as string;
  const headers = { cookie: `appSessionId=${session}` };
  for (const body of [
    { title: 'Otters at night', status: 'live', note: 'Ask for pictures' },
    { title: 'Badgers', note: 'Not yet' },
  ]) {
    expect((await service.anon.post('/articles', body, { headers })).status).toBe(201);
  }
}

// A project's own kinds and versions change what is answered.
const whereItIsAsItCame = isAsItCame ? describe : describe.skip;

whereItIsAsItCame('the samples', () => {
  it('of README.md are real', async () => {
    const [, url = '', shown = ''] =
      /```sh\ncurl 'http:\/\/localhost:3000(\S+)'\n```\n\n```json\n([^]*?)```/.exec(
        await readFile('README.md', 'utf8'),
      ) ?? [];
    const { body } = await service.anon.get(`/${url}`);
    const masked = (answer: Json) => new Parts().mask(JSON.stringify(answer, null, 2));
    expect(masked(body)).toBe(masked(JSON.parse(shown) as Json));
  });

  it.each(['docs/api.md', 'docs/errors.md'])('of %s are real', async (path) => {
    if (!session) await addOlive();
    const page = await readFile(path, 'utf8');
    const blocks = [...page.matchAll(/^```http\n([^]*?)^```/gm)].map(([, text = '']) => text);
    expect(blocks.length).toBeGreaterThan(10);
    const shown = new Parts();
    const answered = new Parts();
    for (let i = 0; i < blocks.length; i += 2) {
      const request = messageOf(shown.translate(blocks[i] ?? '', answered));
      const { start, headers, body } = messageOf(blocks[i + 1] ?? '');
      const answer = written(await send(request), Object.keys(headers));
      const sample = [start, ...Object.entries(headers).map((pair) => pair.join(': '))];
      sample.push(body && JSON.stringify(JSON.parse(body), null, 2));
      expect(`${request.start}\n${answered.mask(answer)}`).toBe(
        `${request.start}\n${shown.mask(sample.join('\n'))}`,
      );
    }
  });
});
