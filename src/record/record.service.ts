import { type Requester, INTERNAL_REQUESTER } from '../common/requester.js';
import { notFound, type Warning } from '../common/errors.js';
import type { Viewer } from '../common/viewer.js';
import { type WriteCaller, writeRequesterOf } from '../http/http-requester.js';
import type { QueryParams } from '../http/query.js';
import type { Transaction } from '../postgres/database.js';
import { seesRow } from './access/access.js';
import { denyCreate } from './access/writing.js';
import { type Includes, includesOf } from './query/includes.js';
import type { RecordEngine } from './record-engine.js';
import type { RecordEntity } from './record.entity.js';
import { RecordHooks, type WriteRequest } from './record-hooks.js';
import { includedDataOf } from './response/included-data.js';
import { listResponse, relationResponse } from './response/list-response.js';
import { type Option, optionLists } from './response/options.js';
import { RecordResponse } from './response/record-response.js';
import type { Row, RowOf } from './row.js';
import { kindOf } from './schema/kind.js';
import type { EntityClass } from './schema/kind-def.js';
import { type LinkedKind, type Parent, parentOf, relationAt } from './schema/kind-graph.js';
import { changeSetOf, refuseEarly, warningsAfter } from './write/change-set.js';
import { RecordWriter, writable } from './write/record-writer.js';

export type { ResponseSchemas, ExtraSource, WriteRequest } from './record-hooks.js';

/**
 * The verbs of one kind. A kind's service extends it and varies it through the hooks (record-hooks.ts), never by
 * overriding a verb. Every verb throws ApiError: 401, 403, 404, 409, 412, 441, 442 (docs/errors.md).
 */
export abstract class RecordService<E extends RecordEntity = RecordEntity> extends RecordHooks<E> {
  readonly kind: LinkedKind;
  private readonly writer: RecordWriter;

  constructor(
    protected readonly engine: RecordEngine,
    entity: EntityClass,
  ) {
    super();
    this.kind = engine.graph.get(kindOf(entity).kind);
    this.writer = new RecordWriter(this.kind, engine, this.writeHooks());
    engine.register(this.kind, this);
  }

  /** A page of the rows that the viewer may see. */
  list(
    viewer: Viewer,
    query: QueryParams,
    requester: Requester = INTERNAL_REQUESTER,
  ): Promise<RecordResponse> {
    return listResponse(this.engine, this.kind, { viewer, query, requester });
  }

  /** One record by its public id. */
  async read(viewer: Viewer, id: string, query: QueryParams): Promise<RecordResponse> {
    const { includes, warnings } = this.includes(query);
    const page = { kind: this.kind, viewer, rows: [await this.visible(viewer, id)], includes, ids: [id] };
    return new RecordResponse(page, await includedDataOf(this.engine, page), warnings);
  }

  /** The option lists of the props that the viewer could see or edit on a record of its own. */
  options(viewer: Viewer): Promise<Record<string, readonly Option[]>> {
    return optionLists(this.kind, this.optionSources, viewer);
  }

  /** What stands at `/<id>/<segment>`: a child list or the parent record. */
  async relation(
    viewer: Viewer,
    id: string,
    segment: string,
    query: QueryParams,
    requester?: Requester,
  ): Promise<RecordResponse> {
    if (!relationAt(this.kind, segment)) throw notFound();
    return this.relationOf(viewer, await this.visible(viewer, id), segment, query, requester);
  }

  /** Creates a record from a body of props. */
  async create(body: unknown, request: WriteRequest): Promise<RecordResponse> {
    const { viewer, query } = request;
    const denied = denyCreate(this.kind, viewer);
    if (denied) throw denied;
    const { includes, warnings } = this.includes(query);
    const changeSet = changeSetOf<E>(body, this.kind, viewer, null, this.engine.ids);
    refuseEarly(changeSet, this.kind);
    if (!changeSet.issues.length) await this.prepare(changeSet, request);
    const row = (await this.writer.create(changeSet, request)) as RowOf<E>;
    await this.committed(null, row, request, changeSet);
    return this.respond(viewer, row, includes, [...changeSet.warnings, ...warnings], changeSet.meta);
  }

  /**
   * Changes the given props of a record; what the body leaves out stays.
   * @param first needs all props of the body, else 403; runs in the same transaction before the body is checked. The
   *   transaction may run again, so it acts on the database alone.
   */
  async update(
    id: string,
    body: unknown,
    request: WriteRequest,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<RecordResponse> {
    const { viewer, query } = request;
    const { includes, warnings } = this.includes(query);
    const needed = first ? Object.keys(body ?? {}) : []; // `first` is done for the sake of these
    const found = this.writable(viewer, await this.load(id), ...needed);
    const changeSet = changeSetOf<E>(body, this.kind, viewer, found, this.engine.ids);
    refuseEarly(changeSet, this.kind);
    if (!changeSet.issues.length) await this.prepare(changeSet, request);
    const update = await this.writer.update(changeSet, found, request, first);
    const [before, row] = [update.before as RowOf<E>, update.row as RowOf<E>];
    await this.committed(before, row, request, changeSet);
    const all = [...warningsAfter(changeSet, before, row), ...warnings];
    return this.respond(this.viewerAfter(viewer, row), row, includes, all, changeSet.meta);
  }

  /** Deletes a record. Returns it as it was. */
  async remove(id: string, request: WriteRequest): Promise<RecordResponse> {
    const { viewer, query } = request;
    const { includes, warnings } = this.includes(query);
    const found = this.writable(viewer, await this.load(id));
    const row = (await this.writer.remove(found, request)) as RowOf<E>;
    await this.committed(row, null, request, null);
    return this.respond(viewer, row, includes, warnings, includes.meta ? { deleted: true } : {});
  }

  /** The public id of a row of this kind; null for none. */
  protected publicIdOf(row: Row | null): string | null {
    return row && this.engine.ids.encode(this.kind.kind, row.id);
  }

  /** The public ids of rows of this kind. */
  override publicIds(rows: readonly Row[]): string[] {
    return this.engine.ids.encodeAll(
      this.kind.kind,
      Array.from(rows, ({ id }) => id),
    );
  }

  /** What stands at a relation of a row that the viewer may see. */
  protected relationOf(
    viewer: Viewer,
    row: Row,
    segment: string,
    query: QueryParams,
    requester: Requester = INTERNAL_REQUESTER,
  ): Promise<RecordResponse> {
    return relationResponse(this.engine, this.kind, row, segment, { viewer, query, requester });
  }

  /** The response with one row. */
  protected async respond(
    viewer: Viewer,
    row: Row,
    includes: Includes,
    warnings: readonly Warning[] = [],
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<RecordResponse> {
    const page = { kind: this.kind, viewer, rows: [row], includes };
    return new RecordResponse(page, await includedDataOf(this.engine, page), warnings, meta);
  }

  /** Reads the include parameters of a single-record response; other parameters are warned about. */
  protected includes(query: QueryParams): { includes: Includes; warnings: readonly Warning[] } {
    return includesOf(query, this.kind, this.extras);
  }

  /** The row of a public id, or null. */
  protected async load(id: string): Promise<RowOf<E> | null> {
    const rowId = this.engine.ids.decode(this.kind.kind, id);
    return rowId === null ? null : ((await this.engine.store.get(this.kind, rowId)) as RowOf<E> | null);
  }

  /** The row of a public id that the viewer may see; 404 for every other id. */
  protected async visible(viewer: Viewer, id: string): Promise<RowOf<E>> {
    const row = await this.load(id);
    if (!row || !seesRow(this.kind, viewer, row)) throw notFound();
    return row;
  }

  /** A parent relation of this kind by its name. */
  protected parent(name: string): Parent {
    return parentOf(this.kind, name);
  }

  /** The row itself if the viewer may write it, and set these props of it; throws 404, 401 or 403. */
  protected writable(viewer: Viewer, row: Row | null, ...props: string[]): RowOf<E> {
    return writable(this.kind, viewer, row, props) as RowOf<E>;
  }

  /** One transaction, whose constraint violations become 409s that name the prop alone. */
  protected writing<T>(work: (tx: Transaction) => Promise<T>, request?: WriteCaller): Promise<T> {
    return this.writer.transaction(work, request ? writeRequesterOf(request) : INTERNAL_REQUESTER);
  }

  /** Whoever has waited is authorized again, by the rights that hold now. */
  protected reauthorize(viewer: Viewer, tx: Transaction): Promise<void> {
    return this.writer.reauthorize(viewer, tx);
  }
}
