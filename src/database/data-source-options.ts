import { AbstractLogger, type DataSourceOptions } from 'typeorm';
import { registeredKinds } from '../record/schema/kind.js';
import { loadMigrations } from './migrations.js';
import { CONNECT_TIMEOUT_MS, sessionLimits, sessionSettings } from '../postgres/session-settings.js';

/** The connections of anything but a running service: migrations, tests, TypeORM's command line. */
const FEW = 4;

/** TypeORM prints failed migrations to standard output, which is for the log. Its errors are reported anyway. */
class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {}
}

/**
 * TypeORM's settings for all kinds whose modules are loaded, for the service and for the TypeORM CLI alike.
 * The schema changes only by migrations, never by `synchronize`.
 * @param statementTimeoutMs the time limit of a statement; 0: no limit, for migrations
 * @param poolSize the maximum number of connections
 */
export async function dataSourceOptions(
  url: string,
  statementTimeoutMs: number,
  poolSize = FEW,
): Promise<DataSourceOptions> {
  const { connectionString, options } = sessionSettings(url);
  return {
    type: 'postgres',
    url: connectionString,
    entities: registeredKinds().map((kind) => kind.entity as new () => object),
    migrations: await loadMigrations(),
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    // Statements and their parameters must not be logged.
    logging: false,
    logger: new SilentLogger(),
    installExtensions: false,
    poolSize,
    applicationName: 'kindred',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      options,
      ...sessionLimits(statementTimeoutMs),
      ...(statementTimeoutMs > 0 && { idle_in_transaction_session_timeout: 4 * statementTimeoutMs }),
    },
  };
}
