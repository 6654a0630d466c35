import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Type } from '@nestjs/common';
import { Client } from 'pg';
import { createApp } from '../../src/bootstrap.js';
import { loadConfig } from '../../src/config/config.js';
import type { HttpLimits } from '../../src/http/limits.js';
import { createLogger } from '../../src/http/logging.js';
import type { SchedulerSettings } from '../../src/scheduler/scheduler-settings.js';
import { Caller } from './client.js';
import { createDatabase } from './database.js';
import { stoppedAtTheEnd } from './left-running.js';

/** A running service and its database. */
export interface TestService {
  readonly url: string;
  readonly app: NestFastifyApplication;
  readonly databaseUrl: string;
  /** A caller without a session. */
  readonly anon: Caller;
  /** Every line that the service has logged, at level debug. */
  readonly log: string[];
  /** Looks at the database behind the service's back. */
  sql<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T[]>;
  stop(): Promise<void>;
}

/** What differs from the service of every test. */
export interface TestServiceOptions {
  /** Modules of test-only kinds; must be the same set for the same `template`. */
  readonly kinds?: readonly Type[];
  readonly template?: string;
  readonly env?: Record<string, string>;
  readonly limits?: Partial<HttpLimits>;
  readonly scheduler?: Partial<SchedulerSettings>;
  /** An existing database instead of a fresh one. */
  readonly databaseUrl?: string;
}

const DEFAULTS = {
  // Emptied when the run is over.
  DATA_DIR: join(process.env.TEST_DATA_DIR ?? tmpdir(), 'services'),
  APP_SECRET: 'a secret for tests alone, 32 characters',
  LOGIN_RATE_PER_ADDRESS: '0',
  LOGIN_RATE_PER_NAME: '0',
  LOGIN_RATE_PER_NAME_IN_ALL: '0',
  SIGNUP_RATE_PER_ADDRESS: '0',
  CREDENTIAL_RATE_PER_USER: '0',
  // Whatever room the machine has.
  MIN_FREE_BYTES: '0',
  LOG_LEVEL: 'debug',
  // Jobs run where a test is about them: elsewhere nothing may move by itself.
  CRON_CONCURRENCY: '0',
};

/** The whole service on a free port, with a database of its own. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { kinds = [], template = 'plain', env = {}, limits, scheduler } = options;
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: () => Promise.resolve() }
    : await createDatabase(template);
  const config = loadConfig({ ...DEFAULTS, DATABASE_URL: database.url, ...env });
  const log: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log.push(...chunk.toString().trim().split('\n'));
      done();
    },
  });
  const app = await createApp({
    config,
    databaseUrl: database.url,
    progress: () => undefined,
    kinds,
    limits,
    scheduler,
    logger: createLogger(config, sink),
  });
  await app.listen(0, '127.0.0.1');
  const address = app.getHttpServer().address();
  if (typeof address !== 'object' || !address) throw new Error('The service does not listen.');
  const url = `http://127.0.0.1:${address.port}`;
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url,
    app,
    databaseUrl: database.url,
    anon: new Caller(url),
    log,
    sql: async <T>(text: string, values: unknown[] = []) => (await client.query(text, values)).rows as T[],
    stop: stoppedAtTheEnd(async () => {
      await app.close();
      await client.end().catch(() => undefined);
      await database.drop();
    }),
  };
}
