import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { type Config, loadConfig } from './config/config.js';
import { startEmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { FirstAdmin, type NewAdmin } from './kinds/user/first-admin.js';

/** A service that listens. */
export interface RunningService {
  /** Where it listens, `http://host:port`. */
  readonly url: string;
  /** The administrator that this start made; null when there was one. */
  readonly newAdmin: NewAdmin | null;
  /** Resolves when the embedded database has ended by itself; without it there is nothing left to serve. */
  readonly lost: Promise<void>;
  /** Stops taking requests, answers those under way, stops the embedded database. */
  stop(): Promise<void>;
}

/**
 * Starts everything: the embedded database unless DATABASE_URL names one, migrations, the first administrator, HTTP.
 * @throws StartupError with one line for the operator; nothing is left running
 */
export async function startService(
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
  logger?: Logger,
): Promise<RunningService> {
  const config = loadConfig(env);
  const postgres = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({ dataDir: config.dataDir, progress });
  let app: NestFastifyApplication | null = null;
  const stop = async () => {
    await app?.close();
    await postgres?.stop();
  };
  try {
    app = await createApp({ config, databaseUrl: postgres?.url ?? config.databaseUrl, progress, logger });
    const newAdmin = await app.get(FirstAdmin).ensure();
    await app.listen(config.port, config.host);
    const lost = postgres?.ended ?? new Promise<void>(() => undefined);
    return { url: urlOf(app, config), newAdmin, lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(app: NestFastifyApplication, config: Config): string {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host}:${port}`;
}
