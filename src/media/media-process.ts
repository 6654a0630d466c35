import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type MediaAnswer, type MediaJob, MediaRefusal, type MediaRequest } from './media-jobs.js';

/** Megabytes of JavaScript heap; the pictures themselves are outside it. */
const HEAP_MB = 256;

/** How long a job may take. */
export interface JobLimits {
  /** Milliseconds of processor time: more is the file's fault. */
  readonly cpuMs: number;
  /** Milliseconds by the clock: more is the machine's fault, as the process has the lowest priority. */
  readonly wallMs: number;
}

/** A media process, started by the first job. A job that takes too long costs the process, and the next one has a new one. */
export class MediaProcess {
  private child: ChildProcess | null = null;

  /** Its process id, while there is one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts the process before the first job comes. */
  warm(): void {
    this.ready();
  }

  /**
   * Runs one job; never two at a time.
   * @throws MediaRefusal for what the file is, also when it makes the process die; Error for what the system is
   */
  async run(job: MediaJob, { cpuMs, wallMs }: JobLimits): Promise<unknown> {
    const child = this.ready();
    const answer = await new Promise<MediaAnswer>((resolve, reject) => {
      const done = (act: () => void) => {
        clearTimeout(timer);
        for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
        child.on('error', () => undefined);
        act();
      };
      const timer = setTimeout(() => {
        this.end();
        done(() => reject(new Error('The media process had no time for it.')));
      }, wallMs);
      child.on('message', (message) => done(() => resolve(message as MediaAnswer)));
      child.on('error', (error) => {
        this.end();
        done(() => reject(error));
      });
      child.on('exit', (_code, signal) => {
        this.child = null;
        const isCrash = signal === 'SIGSEGV' || signal === 'SIGABRT' || signal === 'SIGBUS';
        done(() => (isCrash ? resolve({ fault: 'damaged' }) : reject(new Error('The media process ended.'))));
      });
      child.send({ job, cpuMs } satisfies MediaRequest);
    });
    if ('fault' in answer) {
      if (answer.fault === 'time') this.end(); // it goes on with it
      throw new MediaRefusal(answer.fault);
    }
    if ('error' in answer) throw new Error(`The media process failed: ${answer.error}`);
    return answer.result;
  }

  /** Ends the process, whatever it does. */
  end(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }

  /** One that ended while nobody asked is no use any more. */
  private ready(): ChildProcess {
    return this.child?.connected ? this.child : (this.child = this.start());
  }

  private start(): ChildProcess {
    const child = fork(workerFile(), [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      // Nothing of the service's secrets is in there.
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    beModest(child.pid);
    child.unref();
    child.channel?.unref();
    return child;
  }
}

/** At once: the threads that the process is about to start take over its priority as it then is. */
function beModest(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems don't allow it.
  }
}

/** Tests run from the sources, which Node.js can't start a process from; they come after a build. */
function workerFile(): string {
  const here = import.meta.url;
  const built = here.endsWith('.ts') ? new URL('../../dist/src/media/', here) : new URL('.', here);
  return fileURLToPath(new URL('media-worker.js', built));
}
