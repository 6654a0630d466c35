import { type INestApplication, VersioningType } from '@nestjs/common';
import { API_PREFIX, FIRST_VERSION } from '../common/api-path.js';
import { ErrorFilter } from './error.filter.js';
import { readQueryByName } from './query-by-name.js';

/**
 * Configures a Nest application: paths, query parameters and the error filter. A controller has its routes under its
 * `version`, by default the first one. Routes of the deployment and signed paths are `VERSION_NEUTRAL`, at the root.
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
