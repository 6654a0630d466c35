import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';

/** What the benchmark asks a measured server, over Node's IPC channel. */
export type Question = 'usage' | 'profile-start' | 'profile-stop';

export interface Usage {
  /** CPU time of the process so far, in microseconds. */
  readonly cpu: number;
  /** Resident memory now, in bytes. */
  readonly rss: number;
}

export type Answer =
  | { readonly url: string }
  | { readonly usage: Usage }
  | { readonly profile: Profiler.Profile }
  | { readonly done: true };

/** Sampling interval of profiles, in microseconds. */
const SAMPLE_US = 200;

/**
 * Runs a server as a measured child process: says where it listens, answers questions, and ends with its parent.
 * @param start makes the server listen on a free port and resolves to its URL
 */
export async function serve(start: () => Promise<string>): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  process.on('SIGINT', () => undefined); // Ctrl-C reaches the whole process group; the parent ends us
  const session = new Session();
  session.connect();
  const answer = async (question: Question): Promise<Answer> => {
    switch (question) {
      case 'usage': {
        const { user, system } = process.cpuUsage();
        return { usage: { cpu: user + system, rss: process.memoryUsage.rss() } };
      }
      case 'profile-start':
        await session.post('Profiler.enable');
        await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
        await session.post('Profiler.start');
        return { done: true };
      case 'profile-stop':
        return { profile: (await session.post('Profiler.stop')).profile };
    }
  };
  process.on('message', (question: Question) => {
    void answer(question).then((reply) => process.send?.(reply));
  });
  process.send?.({ url: await start() } satisfies Answer);
}
