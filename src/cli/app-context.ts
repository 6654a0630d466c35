import { Inject, Injectable, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp, type CreateAppOptions } from '../bootstrap.js';
import { type Config, loadConfig } from '../config/config.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { runningPostgres } from '../database/embedded/running-postgres.js';
import { createLogger } from '../http/logging.js';
import { AdminOperations } from './admin-operations.js';
import { Terminal } from './terminal.js';

type Say = (line: string) => void;

/** A database to work on, and how to leave it. */
interface Lent {
  readonly url: string;
  leave(): Promise<void>;
}

/** For tests: modules of further kinds and versions of the API. */
export const FURTHER_MODULES = Symbol('kindred:further-modules');

/** Opens the service for a command: the same modules, settings and database, but nothing listens and no job runs. */
@Injectable()
export class AppContext {
  constructor(
    private readonly terminal: Terminal,
    @Inject(FURTHER_MODULES) private readonly kinds: readonly Type[],
  ) {}

  /**
   * Runs `work` with the service, which is closed again whatever happens.
   * @throws StartupError when the service could not start either
   */
  async open<T>(work: (operations: AdminOperations) => Promise<T>): Promise<T> {
    const { terminal, kinds } = this;
    const say = (line: string) => terminal.say(line);
    const config = loadConfig(terminal.env);
    // Standard output is only for the result.
    const logger = createLogger(config, terminal.errors);
    const database = await databaseOf(config, say);
    try {
      return await withApp({ config, databaseUrl: database.url, logger, progress: say, kinds }, (app) =>
        work(new AdminOperations(app, logger)),
      );
    } finally {
      await database.leave();
    }
  }
}

async function withApp<T>(
  options: Pick<CreateAppOptions, 'config' | 'databaseUrl' | 'progress' | 'kinds'> & {
    readonly logger: Logger;
  },
  work: (app: NestFastifyApplication) => Promise<T>,
): Promise<T> {
  const app = await createApp({ ...options, background: false });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** DATABASE_URL, the embedded server of a running service, or an embedded server that is started for this command. */
async function databaseOf({ databaseUrl, dataDir }: Config, progress: Say): Promise<Lent> {
  const leave = () => Promise.resolve();
  if (databaseUrl) return { url: databaseUrl, leave };
  const running = await runningPostgres(dataDir);
  if (running !== null) return { url: running, leave };
  const postgres = await startEmbeddedPostgres({ dataDir, progress });
  return { url: postgres.url, leave: () => postgres.stop() };
}
