import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { unavailable } from '../http/errors.js';
import {
  type ImageJob,
  type ImageResult,
  type MediaJob,
  MediaRefusal,
  type SniffJob,
  type SniffResult,
} from './media-jobs.js';
import { MediaProcess } from './media-process.js';

/** Half of the processors, as the other half answers requests; each picture takes memory, so at most 4. */
const PROCESSES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
/** Imports that may wait for their turn; beyond it they are told to come back. */
const MOST_WAITING = 100;
/** Milliseconds that an import waits for its turn at most. */
const PATIENCE_MS = 60_000;
/** Milliseconds for one job, starting the process included. */
const IMAGE_MS = 20_000;
const SNIFF_MS = 5_000;
/** Milliseconds after which idle processes end and give their memory back. */
const IDLE_MS = 60_000;

/** A turn at the media processes. */
export interface MediaTurn {
  sniff(job: SniffJob): Promise<SniffResult>;
  image(job: ImageJob): Promise<ImageResult>;
}

/** The media processes, and the queue in front of them. */
@Injectable()
export class MediaPool implements OnApplicationShutdown {
  private readonly idle = Array.from({ length: PROCESSES }, () => new MediaProcess());
  private readonly waiting: ((process: MediaProcess) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /**
   * Waits for a free process and hands it to `work` alone.
   * @throws ApiError 503 when too many wait already, or it takes too long
   */
  async turn<T>(work: (turn: MediaTurn) => Promise<T>): Promise<T> {
    clearTimeout(this.timer);
    const process = this.idle.pop() ?? (await this.wait());
    try {
      return await work({
        sniff: async (job) => (await run(process, job, SNIFF_MS)) as SniffResult,
        image: async (job) => (await run(process, job, IMAGE_MS)) as ImageResult,
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

  private wait(): Promise<MediaProcess> {
    if (this.waiting.length >= MOST_WAITING) throw busy();
    return new Promise((resolve, reject) => {
      const taken = (process: MediaProcess) => {
        clearTimeout(timer);
        resolve(process);
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(taken), 1);
        reject(busy());
      }, PATIENCE_MS);
      this.waiting.push(taken);
    });
  }

  private give(process: MediaProcess): void {
    const next = this.waiting.shift();
    if (next) return next(process);
    if (this.closed) process.end();
    this.idle.push(process);
    if (this.idle.length < PROCESSES) return;
    this.timer = setTimeout(() => this.idle.forEach((one) => one.end()), IDLE_MS);
    this.timer.unref();
  }
}

const busy = () => unavailable('Too many files are being imported now. Try again shortly.');

/** What goes wrong with the process itself says nothing of the file: another try may do. */
async function run(process: MediaProcess, job: MediaJob, limitMs: number): Promise<unknown> {
  try {
    return await process.run(job, limitMs);
  } catch (error) {
    throw error instanceof MediaRefusal
      ? error
      : unavailable('The file can’t be looked at now. Try again shortly.', error);
  }
}
