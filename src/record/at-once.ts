import { codeOf } from '../database/error-code.js';
import { createsAsOwner, owns } from './access.js';
import { asksForCaller, type Draft, dropUnchanged } from './assign.js';
import { constraintError } from './constraint-errors.js';
import { Inserts } from './inserts.js';
import type { LinkedKind } from './kind-graph.js';
import type { RecordStore } from './record-store.js';
import type { Row } from './row.js';

const FOREIGN_KEY = '23503';

/**
 * Writes in one statement instead of a transaction with locks: a record that no hook looks at while it is written, and
 * that names no parent but the caller. Both answer null when that is not so, or when the database finds a row that is
 * not as it was: the transaction then decides, and says what is wrong.
 */
export class AtOnce {
  /** Whether a row comes whole from the statement that writes it. */
  private readonly near: boolean;
  private readonly inserts: Inserts;

  /** @param hooked whether the kind's service looks at records while they are written */
  constructor(
    private readonly kind: LinkedKind,
    private readonly store: RecordStore,
    private readonly hooked: () => boolean,
  ) {
    this.near = !store.sql(kind).hasFarOwners;
    this.inserts = new Inserts(store.sql(kind), store.database);
  }

  /** Stores a new record of a checked body. */
  async insert(draft: Draft): Promise<Row | null> {
    if (!this.suits(draft) || !this.willOwn(draft)) return null;
    return this.written(this.inserts.insert(draft.values));
  }

  /** Stores a change of `before`, which the caller may write, unless the record has changed since it was read. */
  async update(draft: Draft, before: Row): Promise<Row | null> {
    if (!this.suits(draft)) return null;
    const { values } = dropUnchanged(draft, this.kind);
    if (!values.size) return before;
    const statement = this.store.sql(this.kind).update(String(before.id), values, before.updatedAt);
    return this.written(this.store.database.write(statement).then(([row]) => row ?? null));
  }

  private suits(draft: Draft): boolean {
    return this.near && !this.hooked() && !draft.faults.length && asksForCaller(draft, this.kind);
  }

  private willOwn({ viewer, values }: Draft): boolean {
    return !createsAsOwner(this.kind, viewer) || owns(this.kind, viewer, Object.fromEntries(values));
  }

  private async written(write: Promise<Row | null>): Promise<Row | null> {
    try {
      return await write;
    } catch (error) {
      if (codeOf(error) === FOREIGN_KEY) return null;
      throw constraintError(error, this.store.sql(this.kind));
    }
  }
}
