import { ApiError, notFound } from '../../common/errors.js';
import type { Requester } from '../../common/requester.js';
import { writeRequesterOf } from '../../http/http-requester.js';
import type { ApiRequest } from '../../http/api-request.js';
import type { Viewer } from '../../common/viewer.js';
import type { Transaction } from '../../postgres/database.js';
import { denyWrite } from '../access/access.js';
import { hasWaited } from '../access/rights.js';
import { denyKeep, denySet } from '../access/writing.js';
import type { RecordEngine } from '../record-engine.js';
import type { WriteHooks } from '../record-hooks.js';
import { checkConditions } from '../response/etag.js';
import type { Row } from '../row.js';
import type { LinkedKind } from '../schema/kind-graph.js';
import { checkOutside, type ChangeSet, dropUnchanged, refuseIssues } from './change-set.js';
import { SingleStatementWriter } from './single-statement-writer.js';
import { constraintError } from './constraint-errors.js';

/** The request of a write: who waits for it, and conditions on the version that it changes (RFC 9110 §13). */
export type WriteContext = Pick<ApiRequest, 'headers' | 'viewer' | 'ip'>;

/** An update: the row before and after. */
export interface Update {
  readonly before: Row;
  readonly row: Row;
}

/**
 * Stores creates, updates and deletions of one kind. Callers pass the change and its conditions. This class decides how to
 * store it: in a statement that simultaneous writes share, or in a transaction with locks if hooks or rules need other rows.
 */
export class RecordWriter {
  private readonly single: SingleStatementWriter;

  constructor(
    private readonly kind: LinkedKind,
    private readonly engine: RecordEngine,
    private readonly hooks: WriteHooks,
  ) {
    this.single = new SingleStatementWriter(kind, engine.store, () => this.isHooked());
  }

  /** Stores a new record within its owner's quota. @throws ApiError 403, 409, 441, 442 */
  async create(changeSet: ChangeSet, context: WriteContext): Promise<Row> {
    const reserved = this.engine.quotas.reserve(this.kind, changeSet);
    const release = reserved instanceof Promise ? await reserved : reserved;
    const requester = writeRequesterOf(context);
    try {
      return (
        (await this.single.insert(changeSet, requester)) ??
        (await this.transaction((tx) => this.insert(tx, changeSet), requester))
      );
    } finally {
      release();
    }
  }

  /**
   * Stores a change of `found`.
   * @param first runs in the same transaction, before the change is checked
   * @throws ApiError 401, 403, 404, 409, 412, 441, 442
   */
  async update(
    changeSet: ChangeSet,
    found: Row,
    context: WriteContext,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<Update> {
    const requester = writeRequesterOf(context);
    if (!first) {
      checkConditions(context.headers, found);
      const row = await this.single.update(changeSet, found, requester);
      if (row) return { before: found, row };
    }
    return this.transaction((tx) => this.change(tx, changeSet, found, context, first), requester);
  }

  /**
   * Deletes `found`. A record with many dependent records is closed, and removed in batches (removals.ts).
   * @returns the row as it was
   * @throws ApiError 401, 403, 404, 409, 412
   */
  async remove(found: Row, context: WriteContext): Promise<Row> {
    const { kind } = this;
    const { viewer, headers } = context;
    const { store } = this.engine;
    let isClosed = false;
    const row = await this.transaction(
      async (tx) => {
        const locked = writable(kind, viewer, await store.lockToRemove(tx, kind, found.id));
        await this.reauthorize(viewer, tx);
        checkConditions(headers, locked);
        await this.hooks.beforeRemove(locked, tx);
        isClosed = await store.removals.close(tx, kind.table, locked.id);
        if (!isClosed) {
          await store.detach(tx, kind, locked.id);
          await store.remove(tx, kind, locked.id);
        }
        return locked;
      },
      writeRequesterOf(context),
      true,
    );
    if (isClosed) store.removals.markClosed(kind.table, row.id);
    return row;
  }

  /** One transaction, whose constraint violations become 409s that name the prop alone. */
  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    requester: Requester,
    isRemoval = false,
  ): Promise<T> {
    try {
      return await this.engine.store.database.transaction(work, this.kind.table, requester);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw constraintError(error, isRemoval ? null : this.engine.store.sql(this.kind));
    }
  }

  /** Authorizes a caller that has waited again, by its current rights. */
  async reauthorize(viewer: Viewer, tx: Transaction): Promise<void> {
    if (hasWaited(viewer)) await this.engine.rights?.confirm(tx, viewer);
  }

  private async insert(tx: Transaction, changeSet: ChangeSet): Promise<Row> {
    const attempt = attemptOf(changeSet, null);
    await this.check(attempt, tx);
    await this.hooks.beforeSave(attempt, tx);
    await this.reauthorize(changeSet.viewer, tx);
    const row = await this.engine.store.insert(tx, this.kind, attempt.values);
    const denied = denyKeep(this.kind, changeSet.viewer, row, changeSet.given);
    if (denied) throw denied;
    await this.hooks.afterSave(row, attempt, tx);
    return row;
  }

  private async change(
    tx: Transaction,
    changeSet: ChangeSet,
    found: Row,
    { headers }: WriteContext,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<Update> {
    const { store } = this.engine;
    const locked = await store.lock(tx, this.kind, found.id, 'NO KEY UPDATE');
    const before = writable(this.kind, changeSet.viewer, locked);
    await this.reauthorize(changeSet.viewer, tx);
    checkConditions(headers, before);
    await first?.(tx);
    const attempt = attemptOf(changeSet, before);
    await this.check(attempt, tx);
    const current = dropUnchanged(attempt, this.kind);
    await this.hooks.beforeSave(current, tx);
    if (!current.values.size) return { before, row: before };
    const row = await store.update(tx, this.kind, before.id, current.values);
    await this.hooks.afterSave(row, current, tx);
    return { before, row };
  }

  private async check(changeSet: ChangeSet, tx: Transaction): Promise<void> {
    const { store } = this.engine;
    const options = this.engine.service(this.kind).optionSources;
    await checkOutside(changeSet, this.kind, {
      parentRefusal: (parent, row) => this.engine.service(parent.kind).denyAsParent(row, parent),
      parentRow: (parent, id) => store.lock(tx, parent.kind, id, 'KEY SHARE'),
      optionList: async (name) => (await options.get(name)?.(changeSet.viewer)) ?? [],
    });
    refuseIssues(changeSet, this.kind);
  }

  /** Whether the service of this kind, or that of the users, has hooks for creates or updates. */
  private isHooked(): boolean {
    const users = this.engine.service(this.engine.graph.userKind);
    return this.hooks.isHooked() || users.overrides('denyAsParent');
  }
}

/** The row itself if the viewer may write it, and set these props of it. @throws ApiError 404, 401 or 403 */
export function writable(
  kind: LinkedKind,
  viewer: Viewer,
  row: Row | null,
  props: Iterable<string> = [],
): Row {
  const denied = denyWrite(kind, viewer, row) ?? (row && denySet(props, kind, viewer, row));
  if (denied || !row) throw denied ?? notFound();
  return row;
}

/** A copy of the change set for one try of the transaction, so that tries do not affect each other. */
function attemptOf(changeSet: ChangeSet, before: Row | null): ChangeSet {
  return { ...changeSet, before, values: new Map(changeSet.values), issues: [...changeSet.issues] };
}
