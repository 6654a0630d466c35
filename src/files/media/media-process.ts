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

/** Signals that come from outside; a process that dies of another one has died of what it did. */
const FROM_OUTSIDE = new Set<string>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/**
 * Where the system can, it holds the process to its memory (`RLIMIT_DATA`, since Linux 4.7 all that is writable and its
 * own): an allocation beyond it fails, instead of taking the memory of others first. In kilobytes; what is set lower stays.
 */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/** Bytes of memory with which a process that has nothing to do is replaced. */
const WORN_BYTES = MAX_MEMORY_BYTES / 2;

/**
 * Niceness of the process, a third of the weight of those that answer requests. With the lowest one it gets next to
 * nothing beside a machine's other work, and small pictures would fail by the clock.
 */
const NICE = 5;

/** How long a job may take. */
export interface JobLimits {
  /** Milliseconds of processor time: more is the file's fault. */
  readonly cpuMs: number;
  /** Milliseconds by the clock: more is the machine's fault, as the process has a low priority. */
  readonly wallMs: number;
}

/** A media process, started by the first job. A job that takes too long costs the process, and the next one has a new one. */
export class MediaProcess {
  private child: ChildProcess | null = null;

  /** @param priority of the process, as of `os.setPriority`; another one is for tests */
  constructor(private readonly priority: number = NICE) {}

  /** Its process id, while there is one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts the process, while what the first job needs is still on its way. */
  warm(): void {
    this.ready();
  }

  /**
   * Runs one job; never two at a time.
   * @throws MediaRefusal for what the file is, also when it makes the process die; Error for what the system is
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
    // What a job has left behind is nothing that the next one should have less for.
    if (response.rss > WORN_BYTES) this.terminate();
    if ('fault' in response) {
      if (response.fault === 'time' || response.fault === 'memory') this.terminate(); // it goes on with it
      throw new MediaRefusal(response.fault);
    }
    if ('error' in response) throw new Error(`The media process failed: ${response.error}`);
    return response.result;
  }

  /** Ends the process, whatever it does. */
  terminate(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }

  /** One that ended while nobody asked is no use any more. */
  private ready(): ChildProcess {
    return this.child?.connected ? this.child : (this.child = this.start());
  }

  private start(): ChildProcess {
    const [command = '', ...args] = commandLine();
    const child = spawn(command, args, {
      serialization: 'advanced',
      // Nothing of the service's secrets is in there. Few arenas: each keeps what was freed in it.
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

/** At once: the threads that the process is about to start take over its priority as it then is. */
function setPriorityOf(pid: number | undefined, priority: number): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch {
    // Some systems don't allow it.
  }
}

/** Tests run from the sources, which Node.js can't start a process from; they come after a build. */
function workerFile(): string {
  const here = import.meta.url;
  const built = here.endsWith('.ts') ? new URL('../../../dist/src/files/media/', here) : new URL('.', here);
  return fileURLToPath(new URL('media-worker.js', built));
}
