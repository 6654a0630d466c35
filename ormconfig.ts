// The DataSource for the TypeORM CLI: the same settings as the service's own (src/database/data-source-options.ts).
// Loading the application module registers the kinds.
import './src/app.module.js';
import { DataSource } from 'typeorm';
import { loadConfig } from './src/config/config.js';
import { StartupError } from './src/common/startup-error.js';
import { dataSourceOptions } from './src/database/data-source-options.js';

const config = loadConfig(process.env);
if (!config.databaseUrl)
  throw new StartupError('Set DATABASE_URL to the database that the TypeORM CLI shall use.');

export default new DataSource(await dataSourceOptions(config.databaseUrl, config.statementTimeoutMs));
