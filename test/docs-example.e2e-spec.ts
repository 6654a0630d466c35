import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { KINDS } from '../src/app.module.js';
import { writeDocsExample } from '../scripts/lib/docs-example.mjs';

/*
 * The kind of docs/kinds.md and the handler of docs/jobs.md, with the handler's test, as they stand there. What the text
 * says to do by hand is done here: the module goes into KINDS, the handler into the module's providers.
 */

const { folder, paths } = writeDocsExample({ links: true });

it('is all there', () => {
  expect(paths.sort()).toEqual([
    'src/kinds/article/article.controller.ts',
    'src/kinds/article/article.entity.ts',
    'src/kinds/article/article.module.ts',
    'src/kinds/article/article.service.ts',
    'src/kinds/article/delete-old-drafts.handler.ts',
    'test/delete-old-drafts.e2e-spec.ts',
  ]);
});

const load = (path: string) => import(join(folder, path)) as Promise<Record<string, Type>>;

// A project may have an Article of its own, made as the documents say, which differs from the example's.
if (KINDS.some(({ name }) => name === 'ArticleModule')) {
  it.skip('runs (skipped: the project has a kind Article itself)', () => undefined);
} else {
  const { ArticleModule } = await load('src/kinds/article/article.module.ts');
  const { DeleteOldDraftsHandler } = await load('src/kinds/article/delete-old-drafts.handler.ts');
  if (!ArticleModule || !DeleteOldDraftsHandler) throw new Error('The documents’ example lacks its classes.');
  const providers = Reflect.getMetadata('providers', ArticleModule) as Type[];
  Reflect.defineMetadata('providers', [...providers, DeleteOldDraftsHandler], ArticleModule);
  (KINDS as Type[]).push(ArticleModule);

  await load('test/delete-old-drafts.e2e-spec.ts');
}
