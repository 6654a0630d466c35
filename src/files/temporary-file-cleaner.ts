import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { FileStorage } from '../storage/file-storage.js';
import { FileVerifier } from './file-verifier.js';
import { SERVICE_LOG } from '../http/logging.module.js';

/** Milliseconds between two cycles. */
const CYCLE_MS = 3_600_000;

/**
 * Removes half-written files of processes that died: at start, and every hour, as a process that starts at once after the
 * death can't tell them from those that others are still writing.
 */
@Injectable()
export class TemporaryFileCleaner implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storage: FileStorage,
    private readonly verifier: FileVerifier,
    @Inject(SERVICE_LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const cycle = () =>
      this.sweep().catch((error: unknown) => {
        // The next cycle tries again.
        this.log.warn({ err: error }, 'removing half-written files failed');
      });
    this.timer = setInterval(() => void cycle(), CYCLE_MS);
    this.timer.unref();
    await cycle();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async sweep(): Promise<void> {
    await this.storage.sweep();
    await this.verifier.sweep();
  }
}
