import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { tooMany, unavailable } from '../../common/errors.js';
import {
  type ImageJob,
  type ImageResult,
  type MediaJob,
  MediaRefusal,
  type SniffJob,
  type SniffResult,
} from './media-jobs.js';
import { type JobLimits, MediaProcess } from './media-process.js';

/** Half of the processors, as the other half answers requests; each picture takes memory, so at most 4. */
export const PROCESSES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
/** Imports that may wait for their turn; beyond it they are told to come back. */
export const MAX_WAITING = 100;
/** Those of one user: nobody else is to be kept out by them. Of a page of pictures, a client imports a few at a time. */
export const MAX_WAITING_EACH = 8;
/** Processes that one user may have at work, where there are several: the next one who comes finds one that is free. */
export const MAX_RUNNING_EACH = Math.max(1, PROCESSES - 1);
/** Seconds until that user may try again. */
const RETRY_SECONDS = 5;
/** Milliseconds that an import waits for its turn at most. */
const MAX_WAIT_MS = 60_000;
/** The largest pictures that are let in take some 15 seconds of a processor. By the clock, the start of the process counts too. */
const IMAGE_LIMITS: JobLimits = { cpuMs: 25_000, wallMs: 60_000 };
const SNIFF_LIMITS: JobLimits = { cpuMs: 5_000, wallMs: 60_000 };
/** Milliseconds after which idle processes end and give their memory back. */
const IDLE_MS = 300_000;

/** A turn at the media processes: one of them, for whoever has the turn alone, until it ends. */
export interface MediaSlot {
  sniff(job: SniffJob): Promise<SniffResult>;
  image(job: ImageJob): Promise<ImageResult>;
  /** To be called once, when all is done: others wait for it. */
  readonly release: () => void;
}

/** An import that waits for its turn. */
type Waiter = (process: MediaProcess) => void;

/**
 * The media processes, and the queue in front of them: users take turns, whatever each has waiting. The first key of
 * `waiting` is the user who is next; who has been served goes to its end.
 */
@Injectable()
export class MediaPool implements OnApplicationShutdown {
  private readonly idle = Array.from({ length: PROCESSES }, () => new MediaProcess());
  private readonly waiting = new Map<string, Waiter[]>();
  private readonly running = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /**
   * Waits for a free process.
   * @throws ApiError 429 when this user has too many waiting, 503 when all have, or it takes too long
   */
  async acquire(userId: string): Promise<MediaSlot> {
    clearTimeout(this.timer);
    const process = this.canStart(userId) ? this.start(userId) : await this.wait(userId);
    // While the bytes are fetched; it takes half a second of a processor.
    process.warm();
    return {
      sniff: async (job) => (await run(process, job, SNIFF_LIMITS)) as SniffResult,
      image: async (job) => (await run(process, job, IMAGE_LIMITS)) as ImageResult,
      release: () => this.release(process, userId),
    };
  }

  /** What the processes are doing now. */
  load(): { readonly idle: number; readonly waiting: number } {
    const waiting = [...this.waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0);
    return { idle: this.idle.length, waiting };
  }

  onApplicationShutdown(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const process of this.idle) process.terminate();
  }

  private canStart(userId: string): boolean {
    return this.idle.length > 0 && (this.running.get(userId) ?? 0) < MAX_RUNNING_EACH;
  }

  private start(userId: string): MediaProcess {
    const process = this.idle.pop();
    if (!process) throw new Error('No media process is free.');
    this.running.set(userId, (this.running.get(userId) ?? 0) + 1);
    return process;
  }

  private wait(userId: string): Promise<MediaProcess> {
    const own = this.waiting.get(userId) ?? [];
    if (own.length >= MAX_WAITING_EACH) throw tooMany(RETRY_SECONDS);
    if (this.load().waiting >= MAX_WAITING) throw busy();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = (process) => {
        clearTimeout(timer);
        resolve(process);
      };
      const timer = setTimeout(() => {
        this.waiting.set(userId, this.waiting.get(userId)?.filter((one) => one !== waiter) ?? []);
        if (!this.waiting.get(userId)?.length) this.waiting.delete(userId);
        reject(busy());
      }, MAX_WAIT_MS);
      this.waiting.set(userId, [...own, waiter]);
    });
  }

  private release(process: MediaProcess, userId: string): void {
    this.idle.push(process);
    const running = (this.running.get(userId) ?? 1) - 1;
    if (running) this.running.set(userId, running);
    else this.running.delete(userId);
    const next = [...this.waiting.keys()].find((user) => this.canStart(user));
    if (next !== undefined) this.admit(next);
    else if (this.closed) process.terminate();
    else this.scheduleIdleStop();
  }

  private admit(userId: string): void {
    const [waiter, ...others] = this.waiting.get(userId) ?? [];
    this.waiting.delete(userId);
    if (others.length) this.waiting.set(userId, others);
    waiter?.(this.start(userId));
  }

  private scheduleIdleStop(): void {
    clearTimeout(this.timer);
    if (this.idle.length < PROCESSES) return;
    this.timer = setTimeout(() => this.idle.forEach((one) => one.terminate()), IDLE_MS);
    this.timer.unref();
  }
}

const busy = () => unavailable('Too many files are being imported now. Try again shortly.');

/** What goes wrong with the process itself says nothing of the file: another try may do. */
async function run(process: MediaProcess, job: MediaJob, limits: JobLimits): Promise<unknown> {
  try {
    return await process.run(job, limits);
  } catch (error) {
    throw error instanceof MediaRefusal
      ? error
      : unavailable('The file can’t be looked at now. Try again shortly.', error);
  }
}
