import { type INestApplication, VersioningType } from '@nestjs/common';
import { API_PREFIX, FIRST_VERSION } from '../common/api-path.js';
import { ErrorFilter } from './error.filter.js';
import { readQueryByName } from './query-by-name.js';

/**
 * The settings that a Nest application needs beside the adapter: the paths, the parameters of queries and the error filter. A controller has its
 * routes under its `version`, by default the first one; what belongs to the deployment and not to the API, or is signed as
 * a whole, is `VERSION_NEUTRAL` and at the root.
 */
export function configureHttp(app: INestApplication): void {
  app.enableVersioning({
    type: VersioningType.URI,
    prefix: API_PREFIX.slice(1),
    defaultVersion: FIRST_VERSION,
  });
  readQueryByName(app);
  app.useGlobalFilters(new ErrorFilter());
}
