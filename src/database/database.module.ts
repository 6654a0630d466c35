import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { ReadinessProbe } from '../common/readiness-probe.js';
import { type Tracing, TRACING } from '../common/tracing.js';
import { connect } from './connect.js';
import { splitConnections } from '../config/connection-split.js';
import { Database } from '../postgres/database.js';
import { DedicatedConnections } from '../postgres/dedicated-connection.js';
import { dataSourceOptions } from './data-source-options.js';
import { DatabaseProbe } from '../postgres/database-probe.js';
import { FairSlots } from '../common/fair-slots.js';
import { Listeners } from '../postgres/listener.js';
import { MAX_WAITING, Reader } from '../postgres/reader.js';
import { checkSecret } from './secret-check.js';
import { TracingModule } from '../tracing/tracing.module.js';
import { TracedDatabase } from '../postgres/traced-database.js';

/** The database of the service, connected and migrated before anything else is created. */
@Module({})
export class DatabaseModule {
  /** @param url the database, which may be the embedded one; `progress` is called with the steps of the start */
  static forRoot(url: string, progress: (line: string) => void, appSecret: string): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TracingModule,
        TypeOrmModule.forRootAsync({
          inject: [Config],
          useFactory: async (config: Config) => ({
            ...(await dataSourceOptions(
              url,
              config.statementTimeoutMs,
              splitConnections(config.databaseConnections).pool,
            )),
            retryAttempts: 0, // `connect` waits, and says so
          }),
          dataSourceFactory: async (options) => {
            const { extra, poolSize } = options as {
              readonly extra: { readonly statement_timeout: number };
              readonly poolSize: number;
            };
            const connected = await connect({
              url,
              statementTimeoutMs: extra.statement_timeout,
              poolSize,
              progress,
            });
            await checkSecret(connected, appSecret);
            return connected;
          },
        }),
      ],
      providers: [
        {
          provide: Reader,
          inject: [Config, DataSource],
          useFactory: (config: Config) =>
            new Reader(url, config.statementTimeoutMs, splitConnections(config.databaseConnections)),
        },
        { provide: Listeners, useFactory: () => new Listeners(url) },
        {
          provide: DedicatedConnections,
          inject: [Config],
          useFactory: (config: Config) => new DedicatedConnections(url, config.statementTimeoutMs),
        },
        {
          provide: Database,
          inject: [DataSource, Reader, Config, TRACING],
          useFactory: (dataSource: DataSource, reader: Reader, config: Config, tracing: Tracing | null) => {
            const { pool } = splitConnections(config.databaseConnections);
            const limits = { maxWaiting: MAX_WAITING, timeoutMs: config.statementTimeoutMs };
            const slots = new FairSlots(new Array<null>(pool).fill(null), limits);
            return tracing
              ? new TracedDatabase(dataSource, reader, slots, tracing)
              : new Database(dataSource, reader, slots);
          },
        },
        { provide: ReadinessProbe, useClass: DatabaseProbe },
      ],
      exports: [Database, DedicatedConnections, Listeners, ReadinessProbe],
    };
  }
}
