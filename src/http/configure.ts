import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { DOCS_FILES } from '../openapi/docs-files.js';
import { ErrorFilter } from './error.filter.js';

/** Paths that don't carry the API version: they belong to the deployment, not to the API, or are signed as a whole. */
const UNVERSIONED = [
  'health/live',
  'health/ready',
  'files/:id/:variant',
  'openapi.json',
  'docs',
  ...DOCS_FILES.map((file) => `docs/${file}`),
];

/** The settings that a Nest application needs beside the adapter: the path prefix and the error filter. */
export function configureHttp(app: INestApplication, config: Pick<Config, 'apiVersion'>): void {
  app.setGlobalPrefix(`api/${config.apiVersion}`, { exclude: UNVERSIONED });
  app.useGlobalFilters(new ErrorFilter());
}
