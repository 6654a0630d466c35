import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './bootstrap.js';
import { type Config, loadConfig } from './config/config.js';
import { StartupError } from './common/startup-error.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { Drain } from './http/drain.js';
import { FirstAdmin, type NewAdmin } from './kinds/user/first-admin.js';

const NEVER = new Promise<never>(() => undefined);

/** A service that listens. */
export interface RunningService {
  /** Where it listens, `http://host:port`. */
  readonly url: string;
  /** The administrator that this start made; null when there was one. */
  readonly newAdmin: NewAdmin | null;
  /** Resolves when the embedded database has ended by itself; without it there is nothing left to serve. */
  readonly lost: Promise<void>;
  /** Drains: reports that it stops, serves for DRAIN_SECONDS, finishes open requests, stops the embedded database. */
  stop(): Promise<void>;
}

/** How to start. */
export interface StartOptions {
  readonly logger?: Logger;
  /** Resolves when the process is asked to stop, which may be in the middle of the start. */
  readonly asked?: Promise<void>;
}

/**
 * Starts everything: the embedded database unless DATABASE_URL names one, migrations, HTTP, the first administrator. Null
 * when it was asked to stop meanwhile; what had only begun then ends with the process.
 * @throws StartupError with one line for the operator; nothing is left running
 */
export async function startService(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  { logger, asked = NEVER }: StartOptions = {},
): Promise<RunningService | null> {
  const config = loadConfig(env);
  let isAsked = false;
  const interrupted = asked.then(() => {
    isAsked = true;
    return null;
  });
  let isAbandoned = false;
  // What goes on until the process ends, such as waiting for a database that is being stopped, is of no interest.
  const progress = (line: string) => void (isAbandoned || say(line));
  let postgres: EmbeddedPostgres | null = null;
  let app: NestFastifyApplication | null = null;
  const close = async () => {
    await app?.close();
    await postgres?.stop();
  };
  const abandon = async () => {
    say('Stopping …');
    isAbandoned = true;
    await close();
    return null;
  };
  try {
    if (!config.databaseUrl) {
      const starting = startEmbeddedPostgres({ dataDir: config.dataDir, progress });
      postgres = await Promise.race([starting, interrupted]);
      if (postgres === null) return await abandon();
    }
    const databaseUrl = postgres?.url ?? config.databaseUrl;
    app = await Promise.race([createApp({ config, databaseUrl, progress, logger }), interrupted]);
    if (app === null) return await abandon();
    await listen(app, config);
    // At last, because its password is told only once: nothing after it can fail.
    const newAdmin = await app.get(FirstAdmin).ensure();
    const drain = app.get(Drain, { strict: false });
    const stop = async () => {
      drain.begin();
      if (config.drainSeconds > 0) await sleep(config.drainSeconds * 1000);
      await close();
    };
    return { url: urlOf(app, config), newAdmin, lost: postgres?.ended ?? NEVER, stop };
  } catch (error) {
    if (isAsked) return abandon();
    await close();
    throw error;
  }
}

/** @throws StartupError when the address can't be listened on */
async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(
      `The service can’t listen on ${host}, port ${port}: ${reason}. Set PORT and HOST to a free address.`,
      { cause },
    );
  }
}

function urlOf(app: NestFastifyApplication, config: Config): string {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host}:${port}`;
}
