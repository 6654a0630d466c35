import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../postgres/database.js';
import { conflict } from '../../common/errors.js';
import { isCounted, ownerColumns } from '../access/ownership.js';
import type { ChangeSet } from './change-set.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { quote } from '../sql/kind-sql.js';

/** The maximum number of cached counts. Other owners' records are counted again. */
const MAX_REMEMBERED = 20_000;
/**
 * The next count is due after one part in this many of the remaining quota: several instances create at the same time, and
 * together must not exceed it.
 */
const SHARE = 8;

const NOTHING = () => undefined;

/**
 * Limits the records of a kind for each owner: a user, or the record that ownership is inherited from
 * (MAX_RECORDS_PER_USER, `maxPerUser`). Counting takes time in proportion to the records, so each count allows a number of
 * creates before the next one. Counts become frequent only near the limit, where the creates of one owner run one after
 * another. A count waits for pending creates, which it would not see.
 * Several instances may exceed the limit by the number of creates that are pending at that moment.
 */
@Injectable()
export class Quotas {
  private readonly allowances = new Map<string, number>();
  private readonly locks = new Map<string, Promise<void>>();
  /** Creates that were allowed without a count and are not stored yet. */
  private readonly pending = new Map<string, Set<Promise<void>>>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Reserves a place for one more record, except for administrators.
   * @returns a function to call when the record was stored or has failed
   * @throws ApiError 409
   */
  reserve(kind: LinkedKind, changeSet: ChangeSet): (() => void) | Promise<() => void> {
    const limit = kind.maxPerUser ?? this.config.maxRecordsPerUser;
    if (!limit || !isCounted(kind, changeSet.viewer)) return NOTHING;
    for (const column of ownerColumns(kind)) {
      const id = changeSet.values.get(column);
      if (typeof id !== 'string') continue;
      const key = `${kind.table} ${column} ${id}`;
      return this.allowed(key) ? this.track(key) : this.reserveSerially(key, { kind, column, id, limit });
    }
    return NOTHING;
  }

  private async reserveSerially(key: string, what: Counted): Promise<() => void> {
    let done: () => void = NOTHING;
    const before = this.locks.get(key);
    const lock = new Promise<void>((resolve) => (done = resolve));
    this.locks.set(key, lock);
    const release = () => {
      if (this.locks.get(key) === lock) this.locks.delete(key);
      done();
    };
    try {
      await before;
      if (!this.allowed(key)) {
        const pending = this.pending.get(key);
        if (pending) await Promise.all(pending);
        await this.count(key, what);
      }
      if (!this.allowances.get(key)) return release; // the last few, one after the other
      const end = this.track(key);
      release();
      return end;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns a function to call when the record was stored or has failed */
  private track(key: string): () => void {
    let done: () => void = NOTHING;
    const stored = new Promise<void>((resolve) => (done = resolve));
    const all = this.pending.get(key) ?? new Set();
    this.pending.set(key, all.add(stored));
    return () => {
      all.delete(stored);
      if (!all.size && this.pending.get(key) === all) this.pending.delete(key);
      done();
    };
  }

  private allowed(key: string): boolean {
    const left = this.allowances.get(key) ?? 0;
    if (left > 0) this.allowances.set(key, left - 1);
    return left > 0;
  }

  private async count(key: string, { kind, column, id, limit }: Counted): Promise<void> {
    const rows = `SELECT FROM ${quote(kind.table)} WHERE ${quote(column)} = $1 LIMIT ${limit}`;
    const text = `SELECT count(*) AS count FROM (${rows}) x`;
    const [row] = await this.database.read('point', { text, values: [id], table: kind.table });
    const left = limit - Number(row?.count);
    if (left < 1) {
      throw conflict(`An owner may have ${limit} records of kind ${kind.kind}; delete some first.`);
    }
    if (this.allowances.size >= MAX_REMEMBERED) this.allowances.clear();
    this.allowances.set(key, Math.floor((left - 1) / SHARE));
  }
}

interface Counted {
  readonly kind: LinkedKind;
  readonly column: string;
  readonly id: string;
  readonly limit: number;
}
