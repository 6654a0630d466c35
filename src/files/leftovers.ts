import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { FileStorage } from '../storage/file-storage.js';
import { FileVerifier } from './file-verifier.js';

/** Milliseconds between two rounds. */
const ROUND_MS = 3_600_000;

/**
 * Removes half-written files of processes that died: at start, and every hour, as a process that starts at once after the
 * death can't tell them from those that others are still writing.
 */
@Injectable()
export class Leftovers implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storage: FileStorage,
    private readonly verifier: FileVerifier,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const round = () =>
      this.sweep().catch((error: unknown) => {
        // The next round tries again.
        const { log } = this.http.httpAdapter.getInstance<FastifyInstance>();
        log.warn({ err: error }, 'removing half-written files failed');
      });
    this.timer = setInterval(() => void round(), ROUND_MS);
    this.timer.unref();
    await round();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async sweep(): Promise<void> {
    await this.storage.sweep();
    await this.verifier.sweep();
  }
}
