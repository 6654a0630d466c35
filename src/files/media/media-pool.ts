import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Capacity, AdmissionQueue } from '../../common/admission-queue.js';
import { tooMany, unavailable } from '../../common/errors.js';
import type { Verdict } from '../../common/fair-queue.js';
import { INTERNAL_REQUESTER, type Requester } from '../../common/requester.js';
import {
  type ImageJob,
  type ImageResult,
  type MediaJob,
  MediaRefusal,
  type SniffJob,
  type SniffResult,
} from './media-jobs.js';
import { type JobLimits, MediaProcess } from './media-process.js';

/** Half of the processors; the others serve requests. At most 4, because each picture takes memory. */
export const PROCESSES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
/** The number of imports that may wait. More are refused. */
export const MAX_WAITING = 100;
/** The number of waiting imports of one user, so that others are not kept out. Clients import a few at a time. */
export const MAX_WAITING_EACH = 8;
/** The number of processes that one user may occupy, so that one stays free for others. */
export const MAX_RUNNING_EACH = Math.max(1, PROCESSES - 1);
/** Seconds until that user may try again. */
const RETRY_SECONDS = 5;
/** How long an import may wait, in milliseconds. */
const MAX_WAIT_MS = 60_000;
/** The largest accepted pictures take about 15 seconds of a processor. Wall time includes the start of the process. */
const IMAGE_LIMITS: JobLimits = { cpuMs: 25_000, wallMs: 60_000 };
const SNIFF_LIMITS: JobLimits = { cpuMs: 5_000, wallMs: 60_000 };
/** When idle processes end to free their memory, in milliseconds. */
const IDLE_MS = 300_000;

/** Time of use counts half after this, in milliseconds. */
const HALF_LIFE_MS = 60_000;
/** Less time of use than this is forgotten, in milliseconds. */
const NEGLIGIBLE_MS = 0.001;

/** Exclusive use of one media process. */
export interface MediaSlot {
  sniff(job: SniffJob): Promise<SniffResult>;
  image(job: ImageJob): Promise<ImageResult>;
  /** Call it once, after all jobs: others wait for the process. */
  readonly release: () => void;
}

/** How many processes are at work or promised to an import that was admitted, and for whom. */
class Occupied implements Capacity<null> {
  private total = 0;
  private readonly byUser = new Map<string, number>();

  check(_claim: null, { fairnessKey }: Requester): Verdict {
    if (this.total >= PROCESSES) return 'all wait';
    return this.of(fairnessKey) < MAX_RUNNING_EACH ? 'go' : 'key waits';
  }

  acquire(_claim: null, { fairnessKey }: Requester): void {
    this.count(fairnessKey, 1);
  }

  release({ fairnessKey }: Requester): void {
    this.count(fairnessKey, -1);
  }

  get isNone(): boolean {
    return this.total === 0;
  }

  private of(userId: string): number {
    return this.byUser.get(userId) ?? 0;
  }

  private count(userId: string, change: 1 | -1): void {
    this.total += change;
    const own = this.of(userId) + change;
    if (own) this.byUser.set(userId, own);
    else this.byUser.delete(userId);
  }
}

/** For how long each user has used a process lately, in milliseconds: earlier use counts less and less. */
class RecentUse {
  private readonly byUser = new Map<string, { ms: number; at: number }>();

  of(userId: string): number {
    const use = this.byUser.get(userId);
    return use ? use.ms * 0.5 ** ((performance.now() - use.at) / HALF_LIFE_MS) : 0;
  }

  add(userId: string, ms: number): void {
    this.byUser.set(userId, { ms: this.of(userId) + ms, at: performance.now() });
    for (const user of this.byUser.keys()) if (this.of(user) < NEGLIGIBLE_MS) this.byUser.delete(user);
  }
}

/**
 * The media processes, and the queue in front of them: the user who has used them least lately is next, whatever each has
 * waiting. When the queue is full, the user with the most in it gives way to one with less.
 */
@Injectable()
export class MediaPool implements OnApplicationShutdown {
  private readonly idle = Array.from({ length: PROCESSES }, () => new MediaProcess());
  private readonly occupied = new Occupied();
  private readonly used = new RecentUse();
  private readonly queue = new AdmissionQueue(this.occupied, {
    maxWaiting: MAX_WAITING,
    timeoutMs: MAX_WAIT_MS,
    rank: (userId) => this.used.of(userId),
  });
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /**
   * Waits for a free process.
   * @throws ApiError 429 if this user has too many waiting imports, 503 if there are too many in total or it takes too long
   */
  async acquire(userId: string): Promise<MediaSlot> {
    clearTimeout(this.timer);
    if (this.queue.waitingOf(userId) >= MAX_WAITING_EACH) throw tooMany(RETRY_SECONDS);
    const requester = { ...INTERNAL_REQUESTER, fairnessKey: userId };
    await this.queue.admit(null, requester)?.catch(() => {
      throw unavailable('Too many files are being imported now. Try again shortly.');
    });
    const process = this.idle.pop() as MediaProcess;
    const began = performance.now();
    // Starts the process, which takes half a second of a processor, while the bytes are fetched.
    process.warm();
    return {
      sniff: async (job) => (await run(process, job, SNIFF_LIMITS)) as SniffResult,
      image: async (job) => (await run(process, job, IMAGE_LIMITS)) as ImageResult,
      release: () => {
        this.used.add(userId, performance.now() - began);
        this.release(process, requester);
      },
    };
  }

  /** What the processes are doing now. */
  load(): { readonly idle: number; readonly waiting: number } {
    return { idle: this.idle.length, waiting: this.queue.waiting };
  }

  onApplicationShutdown(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const process of this.idle) process.terminate();
  }

  private release(process: MediaProcess, requester: Requester): void {
    this.idle.push(process);
    this.occupied.release(requester);
    this.queue.admitWaiting();
    if (!this.occupied.isNone) return;
    if (this.closed) for (const one of this.idle) one.terminate();
    else this.timer = setTimeout(() => this.idle.forEach((one) => one.terminate()), IDLE_MS).unref();
  }
}

/** Errors of the process itself are not the file's fault, so another try may succeed. */
async function run(process: MediaProcess, job: MediaJob, limits: JobLimits): Promise<unknown> {
  try {
    return await process.run(job, limits);
  } catch (error) {
    throw error instanceof MediaRefusal
      ? error
      : unavailable('The file can’t be looked at now. Try again shortly.', error);
  }
}
