import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino, type Logger } from 'pino';
import { createApp } from '../app.js';
import { type Config, loadConfig } from '../config/config.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { runningPostgres } from '../database/embedded/running-postgres.js';
import { createLogger } from '../http/logging.js';
import { Stage } from './stage.js';

const STDERR = 2;
const progress = (line: string) => process.stderr.write(`${line}\n`);

/** A database to work on, and how to leave it. */
interface Lent {
  readonly url: string;
  leave(): Promise<void>;
}

/** Opens the service for a command: the same modules, settings and database, but nothing listens and no job runs. */
@Injectable()
export class Backstage {
  /**
   * Runs `work` with the service, which is closed again whatever happens.
   * @throws StartupError when the service could not start either
   */
  async open<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
    const config = loadConfig(process.env);
    // The result has standard output for itself.
    const logger = createLogger(config, pino.destination({ fd: STDERR, sync: true }));
    const database = await databaseOf(config);
    try {
      return await withApp(config, database.url, logger, (app) => work(new Stage(app, logger)));
    } finally {
      await database.leave();
    }
  }
}

async function withApp<T>(
  config: Config,
  databaseUrl: string,
  logger: Logger,
  work: (app: NestFastifyApplication) => Promise<T>,
): Promise<T> {
  const app = await createApp({ config, databaseUrl, progress, logger, background: false });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** DATABASE_URL, the embedded server of a service that is running, or else the embedded server, started for us alone. */
async function databaseOf({ databaseUrl, dataDir }: Config): Promise<Lent> {
  const leave = () => Promise.resolve();
  if (databaseUrl) return { url: databaseUrl, leave };
  const running = await runningPostgres(dataDir);
  if (running !== null) return { url: running, leave };
  const postgres = await startEmbeddedPostgres({ dataDir, progress });
  return { url: postgres.url, leave: () => postgres.stop() };
}
