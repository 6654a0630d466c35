import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  type MediaJob,
  MediaRefusal,
  type MediaRequest,
  MAX_MEMORY_BYTES,
  type SentResponse,
} from './media-jobs.js';

/** Megabytes of JavaScript heap; the pictures themselves are outside it. */
const HEAP_MB = 256;

/** Signals from outside. Any other one was caused by the job. */
const FROM_OUTSIDE = new Set<string>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/**
 * Limits the memory of the process if the system can (`RLIMIT_DATA`, since Linux 4.7 all private writable memory), so that
 * allocations beyond it fail instead of taking memory from others. In kilobytes. A lower limit is kept.
 */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/** An idle process with more memory than this is replaced, in bytes. */
const WORN_BYTES = MAX_MEMORY_BYTES / 2;

/**
 * The niceness of the process: a third of the weight of those that serve requests. With the lowest priority it would get
 * hardly any time on a busy machine, and small pictures would exceed the wall time.
 */
const NICE = 5;

/** How long a job may take. */
export interface JobLimits {
  /** The limit of processor time, in milliseconds: more is the file's fault. */
  readonly cpuMs: number;
  /** The limit of wall time, in milliseconds: more is the machine's fault, because the process has a low priority. */
  readonly wallMs: number;
}

/** A media process, started by the first job. A job that takes too long ends the process; the next job starts a new one. */
export class MediaProcess {
  private child: ChildProcess | null = null;

  /** @param priority of the process, as of `os.setPriority`; another one is for tests */
  constructor(private readonly priority: number = NICE) {}

  /** Its process id, while there is one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts the process in advance. */
  warm(): void {
    this.ready();
  }

  /**
   * Runs one job; never two at a time.
   * @throws MediaRefusal if it is the file's fault, also if it makes the process die; Error for failures of the system
   */
  async run(job: MediaJob, { cpuMs, wallMs }: JobLimits): Promise<unknown> {
    const child = this.ready();
    const response = await new Promise<SentResponse>((resolve, reject) => {
      const done = (act: () => void) => {
        clearTimeout(timer);
        for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
        child.on('error', () => undefined);
        act();
      };
      const timer = setTimeout(() => {
        this.terminate();
        done(() => reject(new Error('The media process had no time for it.')));
      }, wallMs);
      child.on('message', (message) => done(() => resolve(message as SentResponse)));
      child.on('error', (error) => {
        this.terminate();
        done(() => reject(error));
      });
      child.on('exit', (_code, signal) => {
        this.child = null;
        const isCrash = signal !== null && !FROM_OUTSIDE.has(signal);
        done(() =>
          isCrash ? resolve({ fault: 'damaged', rss: 0 }) : reject(new Error('The media process ended.')),
        );
      });
      child.send({ job, cpuMs } satisfies MediaRequest);
    });
    // Memory that a job has left behind must not reduce that of the next one.
    if (response.rss > WORN_BYTES) this.terminate();
    if ('fault' in response) {
      if (response.fault === 'time' || response.fault === 'memory') this.terminate(); // it goes on with it
      throw new MediaRefusal(response.fault);
    }
    if ('error' in response) throw new Error(`The media process failed: ${response.error}`);
    return response.result;
  }

  /** Kills the process, whatever it does. */
  terminate(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }

  /** The process, started again if it has ended. */
  private ready(): ChildProcess {
    return this.child?.connected ? this.child : (this.child = this.start());
  }

  private start(): ChildProcess {
    const [command = '', ...args] = commandLine();
    const child = spawn(command, args, {
      serialization: 'advanced',
      // No secrets of the service. Few arenas, because each keeps freed memory.
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    setPriorityOf(child.pid, this.priority);
    child.unref();
    child.channel?.unref();
    return child;
  }
}

function commandLine(): string[] {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, workerFile()];
  const isLimited = process.platform === 'linux' && existsSync('/bin/sh');
  return isLimited ? ['/bin/sh', '-c', LIMITED, String(MAX_MEMORY_BYTES / 1024), ...node] : node;
}

/** Sets the priority at once, because threads inherit it when they start. */
function setPriorityOf(pid: number | undefined, priority: number): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch {
    // Some systems don't allow it.
  }
}

/** The built worker. Tests run from the sources, which Node.js can't start, but always after a build. */
function workerFile(): string {
  const here = import.meta.url;
  const built = here.endsWith('.ts') ? new URL('../../../dist/src/files/media/', here) : new URL('.', here);
  return fileURLToPath(new URL('media-worker.js', built));
}
