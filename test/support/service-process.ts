import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { listening } from './listening.js';

/** The service as a process of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Where it listens; rejects when it ends before. */
  readonly url: Promise<string>;
  /** All that it said on standard error. */
  said(): string;
  /** Resolves when it has ended, with the code or the signal. */
  readonly ended: Promise<number | string | null>;
}

/** Where the log goes: a descriptor, or a pipe that the test reads if it likes. */
export type LogTo = 'pipe' | 'ignore' | number;

/** Starts the built service. `env` comes over settings that suit a test. */
export function startProcess(env: Record<string, string>, log: LogTo = 'ignore'): ServiceProcess {
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: {
      PATH: process.env.PATH,
      APP_SECRET: 'a secret for tests alone, 32 characters',
      PORT: '0',
      CRON_CONCURRENCY: '0',
      ...env,
    },
    stdio: ['ignore', log, 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? null,
  );
  const url = listening(child).then(([first = '']) => first);
  url.catch(() => undefined);
  return { child, url, said: () => said, ended };
}
