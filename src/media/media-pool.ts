import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { tooMany, unavailable } from '../http/errors.js';
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
export const MOST_WAITING = 100;
/** Those of one user: nobody else is to be kept out by them. */
export const MOST_WAITING_EACH = 25;
/** Seconds until that user may try again. */
const RETRY_SECONDS = 5;
/** Milliseconds that an import waits for its turn at most. */
const PATIENCE_MS = 60_000;
/** The largest pictures that are let in take some 15 seconds of a processor. */
const IMAGE_LIMITS: JobLimits = { cpuMs: 25_000, wallMs: 60_000 };
const SNIFF_LIMITS: JobLimits = { cpuMs: 5_000, wallMs: 20_000 };
/** Milliseconds after which idle processes end and give their memory back. */
const IDLE_MS = 300_000;

/** A turn at the media processes. */
export interface MediaTurn {
  sniff(job: SniffJob): Promise<SniffResult>;
  image(job: ImageJob): Promise<ImageResult>;
}

interface Waiting {
  readonly userId: string;
  readonly take: (process: MediaProcess) => void;
}

/** The media processes, and the queue in front of them. */
@Injectable()
export class MediaPool implements OnApplicationShutdown {
  private readonly idle = Array.from({ length: PROCESSES }, () => new MediaProcess());
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /** An import will come soon: a process is started before it does, which would hold up requests in a busy moment. */
  warm(): void {
    if (this.closed) return;
    this.idle.at(-1)?.warm();
    this.restLater();
  }

  /**
   * Waits for a free process and hands it to `work` alone.
   * @throws ApiError 429 when this user has too many waiting, 503 when all have, or it takes too long
   */
  async turn<T>(userId: string, work: (turn: MediaTurn) => Promise<T>): Promise<T> {
    clearTimeout(this.timer);
    const process = this.idle.pop() ?? (await this.wait(userId));
    try {
      return await work({
        sniff: async (job) => (await run(process, job, SNIFF_LIMITS)) as SniffResult,
        image: async (job) => (await run(process, job, IMAGE_LIMITS)) as ImageResult,
      });
    } finally {
      this.give(process);
    }
  }

  onApplicationShutdown(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const process of this.idle) process.end();
  }

  private wait(userId: string): Promise<MediaProcess> {
    if (this.waiting.length >= MOST_WAITING) throw busy();
    const own = this.waiting.filter((one) => one.userId === userId);
    if (own.length >= MOST_WAITING_EACH) throw tooMany(RETRY_SECONDS);
    return new Promise((resolve, reject) => {
      const take = (process: MediaProcess) => {
        clearTimeout(timer);
        resolve(process);
      };
      const one = { userId, take };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(one), 1);
        reject(busy());
      }, PATIENCE_MS);
      this.waiting.push(one);
    });
  }

  private give(process: MediaProcess): void {
    const next = this.waiting.shift();
    if (next) return next.take(process);
    this.idle.push(process);
    if (this.closed) process.end();
    else this.restLater();
  }

  private restLater(): void {
    clearTimeout(this.timer);
    if (this.idle.length < PROCESSES) return;
    this.timer = setTimeout(() => this.idle.forEach((one) => one.end()), IDLE_MS);
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
