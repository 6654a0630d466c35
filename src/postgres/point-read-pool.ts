import type { Connection } from './connection.js';
import type { ResultRow, Statement } from './statement.js';
import { overloaded } from './turns.js';

/** Statements under way on one connection at most. */
const DEPTH = 500;
/** Statements that follow one another to one connection: more of them had better be worked off by two. */
const MAX_TOGETHER = 16;
/** A connection that has answered nothing for one to two of these, and should have, is held up. Milliseconds. */
const WATCH_MS = 250;

/** How the read pool is set up. */
export interface PointReadPoolOptions {
  readonly connections: number;
  /** Connections that may be held up, beside those in service. */
  readonly aside: number;
  readonly make: () => Connection;
}

/**
 * Short reads by an index, many under way on one connection. PostgreSQL answers them in order, so one that waits for a lock
 * would hold up all behind it. A connection that is held up is therefore taken out of service and another one takes its
 * place: what is behind the first statement is asked for again there, and what reads the same table goes to the one that
 * is held up already.
 */
export class PointReadPool {
  private readonly slots: Slot[];
  private readonly aside = new Set<Slot>();
  /** Tables that a connection is held up for. */
  private readonly suspects = new Map<string, Slot>();
  /** Where the statements go that are asked for at one go: they leave in one system call. */
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
        // One that has been moved is answered by the other connection.
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

  /** A slot on a connection; null when all are full. */
  private take({ table }: Statement): Slot | null {
    const heldUp = this.suspects.size && table !== undefined ? this.suspects.get(table) : undefined;
    if (heldUp) return heldUp.asks.length < DEPTH ? heldUp : null;
    const isRoom = this.recent && this.recent.asks.length < DEPTH && this.together < MAX_TOGETHER;
    if (!isRoom) this.choose();
    if (this.recent) this.together++;
    return this.recent;
  }

  /** Makes the connection with the least under way the one for what follows without a pause. */
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
    // Answers that have arrived while this process was busy itself are heard first.
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

  /** Everything has been answered after all. */
  private retire(slot: Slot): void {
    this.aside.delete(slot);
    for (const [table, heldUp] of this.suspects) if (heldUp === slot) this.suspects.delete(table);
    void slot.connection.close();
  }
}

/** A statement that waits for its answer; `place` is where it is expected from. */
interface Ask {
  readonly statement: Statement;
  readonly resolve: (rows: ResultRow[]) => void;
  readonly reject: (error: unknown) => void;
  slot: Slot;
}

/** A connection, and what is under way on it, in the order in which it is answered. */
class Slot {
  /**
   * No Set: when one makes its table anew, V8 lets the old table point to the new one, for iterators. Once one of those
   * has become old, each keeps the next one with all that was under way, rows and all, until the next full collection.
   */
  readonly asks: Ask[] = [];
  results = 0;
  private resultsBefore = -1;

  constructor(readonly connection: Connection) {}

  /** Whether it has work, is connected, and has answered nothing since the last look. */
  isStill(): boolean {
    return this.asks.length > 0 && this.results === this.resultsBefore && this.connection.isOpen;
  }

  looked(): void {
    this.resultsBefore = this.asks.length ? this.results : -1;
  }
}
