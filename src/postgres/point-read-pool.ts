import type { Connection } from './connection.js';
import type { ResultRow, Statement } from './statement.js';
import { overloaded } from '../common/admission-queue.js';

/** The limit of pipelined statements on one connection. */
const DEPTH = 500;
/** How many statements of one tick go to the same connection. Two connections are faster for more. */
const MAX_TOGETHER = 16;
/** A connection with pending statements and no result for one to two of these intervals is blocked. In milliseconds. */
const WATCH_MS = 250;

/** Options of the read pool. */
export interface PointReadPoolOptions {
  readonly connections: number;
  /** How many blocked connections there may be, beside those in service. */
  readonly aside: number;
  readonly make: () => Connection;
}

/**
 * Short index reads, pipelined on a few connections. PostgreSQL processes them in order, so a read that waits for a lock
 * would block all behind it. A blocked connection is therefore taken out of service and replaced. The reads behind the
 * first one are sent again on other connections. Further reads of the same table go to the blocked connection.
 */
export class PointReadPool {
  private readonly slots: Slot[];
  private readonly aside = new Set<Slot>();
  /** Table → the connection that it blocks. */
  private readonly suspects = new Map<string, Slot>();
  /** The connection for the statements of this tick: they are written in one system call. */
  private recent: Slot | null = null;
  private together = 0;
  private watch: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(private readonly options: PointReadPoolOptions) {
    this.slots = Array.from({ length: options.connections }, () => new Slot(options.make()));
  }

  /** @throws ApiError 503; pg's own errors for what the statement did wrong. */
  query(statement: Statement): Promise<ResultRow[]> {
    const slot = this.take(statement);
    if (!slot) return Promise.reject(overloaded());
    if (!this.watch && !this.closed) this.watch = setInterval(() => this.look(), WATCH_MS).unref();
    return new Promise((resolve, reject) => this.ask({ statement, resolve, reject, slot }));
  }

  load(): { underWay: number; waiting: number } {
    const underWay = [...this.slots, ...this.aside].reduce((sum, { asks }) => sum + asks.length, 0);
    return { underWay, waiting: 0 };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopWatching();
    await Promise.all([...this.slots, ...this.aside].map(({ connection }) => connection.close()));
  }

  private ask(ask: Ask): void {
    const { slot } = ask;
    slot.asks.push(ask);
    slot.connection.query(ask.statement).then(
      (rows) => {
        ask.resolve(rows);
        this.onResult(slot, ask);
      },
      (error: unknown) => {
        // A read that was moved gets its result from the other connection.
        if (ask.slot === slot) ask.reject(error);
        this.onResult(slot, ask);
      },
    );
  }

  private onResult(slot: Slot, ask: Ask): void {
    slot.results++;
    slot.asks.splice(slot.asks.indexOf(ask), 1);
    if (!slot.asks.length && this.aside.has(slot)) this.retire(slot);
  }

  /** The connection to use; null if all are full. */
  private take({ table }: Statement): Slot | null {
    const heldUp = this.suspects.size && table !== undefined ? this.suspects.get(table) : undefined;
    if (heldUp) return heldUp.asks.length < DEPTH ? heldUp : null;
    const isRoom = this.recent && this.recent.asks.length < DEPTH && this.together < MAX_TOGETHER;
    if (!isRoom) this.choose();
    if (this.recent) this.together++;
    return this.recent;
  }

  /** Chooses the connection with the fewest pending statements for the rest of this tick. */
  private choose(): void {
    this.recent = null;
    this.together = 0;
    for (const slot of this.slots) {
      if (slot.asks.length < (this.recent?.asks.length ?? DEPTH)) this.recent = slot;
    }
    if (this.recent) process.nextTick(() => (this.recent = null));
  }

  private look(): void {
    const busy = this.slots.filter((slot) => slot.asks.length);
    if (!busy.length && !this.aside.size) return this.stopWatching();
    const still = busy.filter((slot) => slot.isStill());
    // Let results be processed that arrived while this process was busy.
    if (still.length) setImmediate(() => still.forEach((slot) => slot.isStill() && this.setAside(slot)));
    for (const slot of this.slots) slot.looked();
  }

  private stopWatching(): void {
    if (this.watch) clearInterval(this.watch);
    this.watch = null;
  }

  private setAside(slot: Slot): void {
    const at = this.slots.indexOf(slot);
    const [first, ...behind] = slot.asks;
    if (this.closed || at < 0 || !first || this.aside.size >= this.options.aside) return;
    this.slots[at] = new Slot(this.options.make());
    this.aside.add(slot);
    this.recent = null;
    const { table } = first.statement;
    if (table !== undefined && !this.suspects.has(table)) this.suspects.set(table, slot);
    for (const ask of behind) if (table === undefined || ask.statement.table !== table) this.move(ask);
  }

  private move(ask: Ask): void {
    const slot = this.take(ask.statement);
    if (!slot) return;
    ask.slot = slot;
    this.ask(ask);
  }

  /** The blocked connection has no pending reads any more. */
  private retire(slot: Slot): void {
    this.aside.delete(slot);
    for (const [table, heldUp] of this.suspects) if (heldUp === slot) this.suspects.delete(table);
    void slot.connection.close();
  }
}

/** A pending statement. `slot` is the connection that its result is taken from. */
interface Ask {
  readonly statement: Statement;
  readonly resolve: (rows: ResultRow[]) => void;
  readonly reject: (error: unknown) => void;
  slot: Slot;
}

/** A connection and its pending statements, in the order of their results. */
class Slot {
  /**
   * Not a Set: when a Set grows, V8 keeps a pointer from the old table to the new one, for iterators. Once an old table is
   * in the old generation, it keeps the chain of later tables, with all their statements and rows, until a full collection.
   */
  readonly asks: Ask[] = [];
  results = 0;
  private resultsBefore = -1;

  constructor(readonly connection: Connection) {}

  /** Whether it is connected, has pending statements, and has had no result since the last check. */
  isStill(): boolean {
    return this.asks.length > 0 && this.results === this.resultsBefore && this.connection.isOpen;
  }

  looked(): void {
    this.resultsBefore = this.asks.length ? this.results : -1;
  }
}
