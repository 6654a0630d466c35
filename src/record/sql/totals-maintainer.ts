import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Background } from '../../config/background.js';
import { Database } from '../../postgres/database.js';
import { DedicatedConnections } from '../../postgres/dedicated-connection.js';
import { registeredKinds } from '../schema/kind.js';
import { SERVICE_LOG } from '../../http/logging.module.js';

/** How often counters of closed connections are added up, in milliseconds. */
const GATHER_MS = 60_000;
/** How often all rows are counted, in milliseconds. */
const VERIFY_MS = 24 * 3600 * 1000;
/** The time limit for counting the rows of one kind, in milliseconds. */
const COUNT_MS = 600_000;

/** Compacts the maintained totals and corrects them after changes that bypassed the triggers (docs/decisions/0009). */
@Injectable()
export class TotalsMaintainer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly database: Database,
    private readonly connections: DedicatedConnections,
    @Inject(SERVICE_LOG) private readonly log: Logger,
    private readonly background: Background,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.background.enabled) return;
    this.every(GATHER_MS, () => this.gather());
    this.every(VERIFY_MS, () => this.verify());
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
  }

  /** Adds up the counters of closed connections. */
  async gather(): Promise<void> {
    await this.database.write({ text: 'SELECT record_counts_gather()', values: [] });
  }

  /** Counts the rows of all kinds, on a connection of its own, and fixes and logs wrong totals. */
  async verify(): Promise<void> {
    const connection = this.connections.make('kindred-counts', COUNT_MS);
    try {
      for (const { table, generic } of registeredKinds()) {
        if (!generic || this.closed) continue;
        const text = 'SELECT record_counts_verify($1) AS missing';
        const [row] = await connection.query({ text, values: [table] });
        const missing = Number(row?.missing ?? 0);
        if (missing !== 0) this.log.warn({ kind: table, missing }, 'the kept number of rows was wrong');
      }
    } finally {
      await connection.close();
    }
  }

  private every(ms: number, work: () => Promise<void>): void {
    const timer = setInterval(() => {
      this.running = this.running.then(work).catch((error: unknown) => {
        this.log.warn({ err: error }, 'keeping the numbers of rows failed');
      });
    }, ms);
    this.timers.push(timer.unref());
  }
}
