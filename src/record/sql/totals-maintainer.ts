import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Background } from '../../config/background.js';
import { Database } from '../../postgres/database.js';
import { DedicatedConnections } from '../../postgres/dedicated-connection.js';
import { registeredKinds } from '../schema/kind.js';
import { SERVICE_LOG } from '../../http/logging.module.js';

/** Milliseconds between two times that counters of ended connections are added up. */
const GATHER_MS = 60_000;
/** Milliseconds between two times that all rows are counted. */
const VERIFY_MS = 24 * 3600 * 1000;
/** Longest that the rows of one kind may be counted, in milliseconds. */
const COUNT_MS = 600_000;

/** Keeps the maintained numbers of rows few, and true whatever has gone around them (docs/decisions/0009). */
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

  /** Adds up the counters of connections that have ended. */
  async gather(): Promise<void> {
    await this.database.write({ text: 'SELECT record_counts_gather()', values: [] });
  }

  /** Counts the rows of all kinds, on a connection of its own, and fixes and logs what differs from the maintained numbers. */
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
