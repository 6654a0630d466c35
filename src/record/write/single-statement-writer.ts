import { codeOf } from '../../postgres/error-code.js';
import type { Statement } from '../../postgres/statement.js';
import { denyKeep } from '../access/writing.js';
import { asksForCaller, type ChangeSet, dropUnchanged } from './change-set.js';
import { constraintError } from './constraint-errors.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import type { KindSql, RowChange } from '../sql/kind-sql.js';
import type { RecordStore } from '../sql/record-store.js';
import { hasWaited } from '../access/rights.js';
import type { Row } from '../row.js';
import { SharedWrites } from './shared-writes.js';

const FOREIGN_KEY = '23503';

/** A change of a row, and who makes it. */
type Change = RowChange & Pick<ChangeSet, 'viewer'>;

/**
 * Writes in one statement instead of a transaction with locks: a record that no hook looks at while it is written, and
 * that names no parent but the caller. Both answer null when that is not so, when the caller has waited for it, or when the
 * database finds a row that is not as it was: the transaction then decides, and says what is wrong.
 */
export class SingleStatementWriter {
  /** Whether a row comes whole from the statement that writes it. */
  private readonly hasOwnColumns: boolean;
  private readonly sql: KindSql;
  private readonly inserts = new SharedWrites(
    ({ values }: ChangeSet) => columnsOf(values),
    (changeSets) => this.insertAll(changeSets),
  );
  private readonly updates = new SharedWrites(
    ({ values }: Change) => columnsOf(values),
    (changes) => this.updateAll(changes),
  );

  /** @param isHooked whether the kind's service looks at records while they are written */
  constructor(
    private readonly kind: LinkedKind,
    private readonly store: RecordStore,
    private readonly isHooked: () => boolean,
  ) {
    this.sql = store.sql(kind);
    this.hasOwnColumns = !this.sql.hasFarColumns;
  }

  /** Stores a new record of a checked body. */
  async insert(changeSet: ChangeSet): Promise<Row | null> {
    if (!this.isEligible(changeSet) || !this.mayKeep(changeSet)) return null;
    return this.written(this.inserts.write(changeSet));
  }

  /** Stores a change of `before`, which the caller may write, unless the record has changed since it was read. */
  async update(changeSet: ChangeSet, before: Row): Promise<Row | null> {
    if (!this.isEligible(changeSet)) return null;
    const { values } = dropUnchanged(changeSet, this.kind);
    if (!values.size) return before;
    if (!this.sql.knows(values.keys())) return null;
    return this.written(
      this.updates.write({ id: before.id, version: before.updatedAt, values, viewer: changeSet.viewer }),
    );
  }

  private async insertAll(changeSets: readonly ChangeSet[]): Promise<readonly (Row | null)[]> {
    const { sent, stored } = await this.send(changeSets, (fresh) =>
      this.sql.insert(fresh.map(({ values }) => values)),
    );
    if (stored.length !== sent.length) throw new Error('An insert has not told what came of each row.');
    // Ids are drawn row by row, in the order of the statement; RETURNING itself promises no order.
    stored.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
    const rows = new Map(sent.map((changeSet, i) => [changeSet, stored[i]]));
    return changeSets.map((changeSet) => rows.get(changeSet) ?? null);
  }

  /** Null for a row that is not as it was, or that somebody else has locked, and for all but the first change of one row. */
  private async updateAll(changes: readonly Change[]): Promise<readonly (Row | null)[]> {
    const byId = new Map(changes.map((change) => [change.id, change] as const).reverse()); // of several, the first
    const { stored } = await this.send([...byId.values()], (fresh) => this.sql.updateAll(fresh));
    const rows = new Map(stored.map((row) => [row.id, row]));
    return changes.map((change) => (byId.get(change.id) === change ? (rows.get(change.id) ?? null) : null));
  }

  /** Sends the writes whose callers have not waited for it: the others are to be authorised again, by a transaction. */
  private async send<W extends Pick<ChangeSet, 'viewer'>>(
    writes: readonly W[],
    statement: (fresh: readonly W[]) => Statement,
  ): Promise<{ sent: readonly W[]; stored: Row[] }> {
    let sent = writes;
    const all = statement(writes);
    const stored = await this.store.database.write(all, () => {
      sent = writes.filter(({ viewer }) => !hasWaited(viewer));
      if (sent.length === writes.length) return all;
      return sent.length ? statement(sent) : null;
    });
    return { sent, stored: stored as Row[] };
  }

  private isEligible(changeSet: ChangeSet): boolean {
    return (
      this.hasOwnColumns &&
      !this.isHooked() &&
      !changeSet.issues.length &&
      asksForCaller(changeSet, this.kind)
    );
  }

  private mayKeep({ viewer, values, given }: ChangeSet): boolean {
    return denyKeep(this.kind, viewer, Object.fromEntries(values), given) === null;
  }

  private async written(write: Promise<Row | null>): Promise<Row | null> {
    try {
      return await write;
    } catch (error) {
      if (codeOf(error) === FOREIGN_KEY) return null;
      throw constraintError(error, this.sql);
    }
  }
}

const columnsOf = (values: RowChange['values']): string => [...values.keys()].join();
