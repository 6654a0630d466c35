import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SchedulerSettings } from '../../src/scheduler/scheduler-settings.js';
import { TEST_CLOCK } from './cron-clock.js';

/** An instance of the service in a process of its own. */
export interface CronInstance {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  /** Its log, as text. */
  log(): string;
  /** The names of the timers in its SchedulerRegistry. */
  timers(): Promise<string[]>;
  /** Changes settings of its scheduler from now on. */
  set(settings: Partial<SchedulerSettings>): void;
  /** Sends a signal and waits for the end; its exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
}

/** The secret of all test services: ids of one are ids of another. */
const ENV = {
  APP_SECRET: 'a secret for tests alone, 32 characters',
  LOGIN_RATE_PER_ADDRESS: '0',
  LOGIN_RATE_PER_NAME: '0',
  LOG_LEVEL: 'debug',
  CRON_CONCURRENCY: '4',
};

/** Starts an instance on a database that has the test clock. */
export async function startInstance(
  databaseUrl: string,
  settings: Partial<SchedulerSettings> = {},
): Promise<CronInstance> {
  const options = { databaseUrl, env: ENV, settings: { clock: TEST_CLOCK, ...settings } };
  const child = fork('test/support/cron-instance.mjs', [JSON.stringify(options)], {
    silent: true,
    execArgv: [],
  });
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { ready: string }) => resolve(message.ready));
    child.once('exit', (code) => reject(new Error(`The instance ended with ${code}: ${log}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    process: child,
    log: () => log,
    async timers() {
      const answer = once(child, 'message') as Promise<[{ timers: string[] }]>;
      child.send('timers');
      return (await answer)[0].timers;
    },
    set: (settings) => child.send({ settings }),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
      const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
      child.kill(signal);
      const [code, name] = await ended;
      return code ?? name;
    },
  };
}
