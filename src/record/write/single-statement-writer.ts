import type { Requester } from '../../common/requester.js';
import { codeOf } from '../../common/error-code.js';
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
 * Writes in one statement instead of a transaction with locks, for records without hooks and without parents other than the
 * caller. Both methods return null if that does not apply, if the caller has waited, or if the row has changed meanwhile.
 * A transaction then decides and reports errors.
 */
export class SingleStatementWriter {
  /** Whether RETURNING gives the complete row. */
  private readonly hasOwnColumns: boolean;
  private readonly sql: KindSql;
  private readonly inserts = new SharedWrites(
    ({ values }: ChangeSet) => columnsOf(values),
    (changeSets, requester) => this.insertAll(changeSets, requester),
    (requester) => this.isFree(requester),
  );
  private readonly updates = new SharedWrites(
    ({ values }: Change) => columnsOf(values),
    (changes, requester) => this.updateAll(changes, requester),
    (requester) => this.isFree(requester),
  );

  /** @param isHooked whether the kind's service has hooks for writes */
  constructor(
    private readonly kind: LinkedKind,
    private readonly store: RecordStore,
    private readonly isHooked: () => boolean,
  ) {
    this.sql = store.sql(kind);
    this.hasOwnColumns = !this.sql.hasFarColumns;
  }

  /** Stores a new record from a checked body. */
  async insert(changeSet: ChangeSet, requester: Requester): Promise<Row | null> {
    if (!this.isEligible(changeSet) || !this.mayKeep(changeSet)) return null;
    return this.written(this.inserts.write(changeSet, requester));
  }

  /** Stores a change of `before`, which the caller may write, unless the record has changed meanwhile. */
  async update(changeSet: ChangeSet, before: Row, requester: Requester): Promise<Row | null> {
    if (!this.isEligible(changeSet)) return null;
    const { values } = dropUnchanged(changeSet, this.kind);
    if (!values.size) return before;
    if (!this.sql.knows(values.keys())) return null;
    const change = { id: before.id, version: before.updatedAt, values, viewer: changeSet.viewer };
    return this.written(this.updates.write(change, requester));
  }

  private isFree(requester: Requester): boolean {
    return this.store.database.isFree(this.kind.table, requester);
  }

  private async insertAll(
    changeSets: readonly ChangeSet[],
    requester: Requester,
  ): Promise<readonly (Row | null)[]> {
    const { sent, stored } = await this.send(changeSets, requester, (fresh) =>
      this.sql.insert(fresh.map(({ values }) => values)),
    );
    if (stored.length !== sent.length) throw new Error('An insert has not told what came of each row.');
    // Ids are assigned in the order of the statement's rows. RETURNING itself guarantees no order.
    stored.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
    const rows = new Map(sent.map((changeSet, i) => [changeSet, stored[i]]));
    return changeSets.map((changeSet) => rows.get(changeSet) ?? null);
  }

  /** Null for rows that have changed or are locked, and for all changes of a row after the first one. */
  private async updateAll(
    changes: readonly Change[],
    requester: Requester,
  ): Promise<readonly (Row | null)[]> {
    const byId = new Map(changes.map((change) => [change.id, change] as const).reverse()); // of several, the first
    const { stored } = await this.send([...byId.values()], requester, (fresh) => this.sql.updateAll(fresh));
    const rows = new Map(stored.map((row) => [row.id, row]));
    return changes.map((change) => (byId.get(change.id) === change ? (rows.get(change.id) ?? null) : null));
  }

  /** Sends the writes of callers that have not waited. The others must be authorized again, in a transaction. */
  private async send<W extends Pick<ChangeSet, 'viewer'>>(
    writes: readonly W[],
    requester: Requester,
    statement: (fresh: readonly W[]) => Statement,
  ): Promise<{ sent: readonly W[]; stored: Row[] }> {
    let sent = writes;
    const all = statement(writes);
    const stored = await this.store.database.write(all, requester, () => {
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
