import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Background } from '../../config/background.js';
import { Database, type Transaction } from '../../postgres/database.js';
import type { Statement } from '../../postgres/statement.js';
import { conflict } from '../../common/errors.js';
import {
  Cascades,
  type Chain,
  clearsFarther,
  countOf,
  endOf,
  forbids,
  foreignKeys,
  removeSome,
} from './cascades.js';
import { lockAll, quote } from '../sql/kind-sql.js';
import { SERVICE_LOG } from '../../http/logging.module.js';

/** Milliseconds between two runs. A deletion on this instance starts one at once. */
const INTERVAL_MS = 10_000;

/** How much is deleted in one transaction. Options, so that tests need fewer rows. */
export interface RemovalLimits {
  /** The most dependent rows of a record that is deleted in one transaction. */
  readonly atOnce: number;
  /** The rows of one batch, which limits how long locks are held. */
  readonly batch: number;
}

/**
 * Deletes records with too many dependent records for one transaction. The request's transaction only closes such a record:
 * nobody sees it or can name it as a parent, and a user's sessions and logins end (session-store.ts). Its dependent records
 * are then removed in batches, each in a transaction of its own, by any instance. If that instance dies, another one
 * continues. The record itself is removed last.
 */
@Injectable()
export class Removals implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly limits: { -readonly [K in keyof RemovalLimits]: RemovalLimits[K] } = { atOnce: 2000, batch: 500 };
  private cascades = new Cascades([]);
  private readonly chains = new Map<string, readonly Chain[]>();
  /** Table → ids of the closed records. Those that other instances have closed are as of the last run. */
  private closed: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped: boolean;

  constructor(
    private readonly database: Database,
    @Inject(SERVICE_LOG) private readonly log: Logger,
    background: Background,
  ) {
    this.stopped = !background.enabled;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.cascades = new Cascades(await this.database.read('point', foreignKeys()));
    await this.reload();
    if (this.stopped) return;
    this.timer = setInterval(() => this.start(), INTERVAL_MS);
    this.timer.unref();
    if (this.closed.size) this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Whether a record is closed. */
  has(table: string, id: string): boolean {
    return this.closed.size > 0 && this.closed.get(table)?.has(id) === true;
  }

  /** The closed records of a table; null for none, which is nearly always the case. */
  of(table: string): readonly string[] | null {
    const ids = this.closed.size ? this.closed.get(table) : undefined;
    return ids?.size ? [...ids] : null;
  }

  /** Whether deleting a record of a table deletes others along, to which remaining records lose their relation. */
  clearsFarther(table: string): boolean {
    return this.chainsOf(table).some(clearsFarther);
  }

  /** The remaining records, by table; not all of them if there are so many that the record is closed, see {@link close}. */
  losing(table: string, id: string): { table: string; statement: Statement }[] {
    const chains = this.chainsOf(table).filter(clearsFarther);
    return chains.map((chain) => endOf(chain, chain.length, id, this.limits.atOnce + 1));
  }

  /** Locks records that are deleted along and named by remaining ones, from the top down, as PostgreSQL does. */
  async lockWays(tx: Transaction, table: string, id: string): Promise<void> {
    for (const chain of this.chainsOf(table).filter(clearsFarther)) {
      for (let length = 1; length < chain.length; length++) {
        const { table, statement } = endOf(chain, length, id, this.limits.atOnce + 1);
        const ids = (await tx.query(statement)).map((row) => String(row.id));
        if (ids.length) await tx.query(lockAll(table, ids, 'UPDATE'));
      }
    }
  }

  /** Whether a record has too many dependent records for one transaction. */
  async isLarge(tx: Transaction, table: string, id: string): Promise<boolean> {
    const chains = this.chainsOf(table);
    const { atOnce } = this.limits;
    let sum = 0;
    // Level by level from the top, so that each level is known to be small before the next one is counted.
    for (let length = 1; ; length++) {
      const level = chains.filter((chain) => chain.length === length && !forbids(chain));
      if (!level.length) return false;
      const [row] = await tx.query(countOf(level, id, atOnce + 1));
      sum += Number(row?.count);
      if (sum > atOnce) return true;
    }
  }

  /**
   * Closes a record that is being deleted if it has too many dependent records. Returns whether it did.
   * @throws ApiError 409 if a dependent record forbids the deletion
   */
  async close(tx: Transaction, table: string, id: string): Promise<boolean> {
    if (!(await this.isLarge(tx, table, id))) return false;
    const chains = this.chainsOf(table);
    const forbidding = chains.filter(forbids);
    if (forbidding.length) {
      const [row] = await tx.query(countOf(forbidding, id, 1));
      if (Number(row?.count) > 0)
        throw conflict('Other records still depend on this one; delete them first.');
    }
    const text = 'INSERT INTO record_removals (path, id) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await tx.query({ text, values: [table, id] });
    return true;
  }

  /** Call it after the commit of that transaction. */
  markClosed(table: string, id: string): void {
    this.closed = new Map(this.closed).set(table, new Set(this.closed.get(table)).add(id));
    this.start();
  }

  /** Starts a run now, or after the current one. */
  start(): void {
    if (this.stopped) return;
    if (this.running) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = this.run()
      .catch((error: unknown) => this.log.warn({ err: error }, 'deleting closed records failed'))
      .finally(() => {
        this.running = null;
        if (this.again) this.start();
      });
  }

  /** Removes the dependent records of all closed records. */
  async run(): Promise<void> {
    await this.reload();
    for (const [table, ids] of this.closed) {
      for (const id of ids) {
        // A record that can't be removed now must not delay the others.
        await this.remove(table, id).catch((error: unknown) =>
          this.log.warn({ err: error, path: table }, 'deleting a closed record failed'),
        );
      }
    }
    if (this.closed.size) await this.reload();
  }

  private async reload(): Promise<void> {
    const known = this.closed;
    const text = 'SELECT path, id FROM record_removals ORDER BY "startedAt"';
    const closed = new Map<string, Set<string>>();
    for (const { path, id } of await this.database.read('point', {
      text,
      values: [],
      table: 'record_removals',
    })) {
      const table = String(path);
      closed.set(table, (closed.get(table) ?? new Set()).add(String(id)));
    }
    // The result lacks records that this instance has closed since the query.
    if (this.closed !== known) return this.reload();
    this.closed = closed;
  }

  private async remove(table: string, id: string): Promise<void> {
    let removed = 0;
    for (const chain of this.chainsOf(table)) {
      if (forbids(chain)) continue;
      for (
        let n: number | null = this.limits.batch;
        n === this.limits.batch && !this.stopped;
        removed += n ?? 0
      ) {
        n = await this.removeBatch(table, id, chain);
        if (n === null) return; // another instance is at it, or it is gone
        this.log.info({ path: table, removed: removed + n }, 'deleting a closed record');
      }
    }
    if (this.stopped) return;
    const done = await this.database.transaction(async (tx) => {
      if (!(await claimed(tx, table, id))) return false;
      await tx.query({ text: `DELETE FROM ${quote(table)} WHERE id = $1`, values: [id] });
      await tx.query({
        text: 'DELETE FROM record_removals WHERE path = $1 AND id = $2',
        values: [table, id],
      });
      return true;
    });
    if (done) this.log.info({ path: table, removed }, 'a closed record is deleted');
  }

  private removeBatch(table: string, id: string, chain: Chain): Promise<number | null> {
    return this.database.transaction(async (tx) => {
      if (!(await claimed(tx, table, id))) return null;
      const rows = await tx.query(removeSome(chain, id, this.limits.batch));
      const text = 'UPDATE record_removals SET removed = removed + $3 WHERE path = $1 AND id = $2';
      if (rows.length) await tx.query({ text, values: [table, id, rows.length] });
      return rows.length;
    });
  }

  private chainsOf(table: string): readonly Chain[] {
    const chains = this.chains.get(table) ?? this.cascades.chains(table);
    this.chains.set(table, chains);
    return chains;
  }
}

/** Claims a closed record for this transaction. */
async function claimed(tx: Transaction, table: string, id: string): Promise<boolean> {
  const text = 'SELECT 1 FROM record_removals WHERE path = $1 AND id = $2 FOR UPDATE SKIP LOCKED';
  return (await tx.query({ text, values: [table, id] })).length > 0;
}
