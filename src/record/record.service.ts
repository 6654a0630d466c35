import { ApiError, emptyBody, type ErrorName, notFound, type Warning } from '../common/errors.js';
import type { ApiRequest } from '../http/api-request.js';
import type { QueryParams } from '../http/query.js';
import { type Asker, THE_SERVICE } from '../common/asker.js';
import type { Transaction } from '../postgres/database.js';
import type { Schemas } from '../openapi-model/json-schema.js';
import { refusalToList, refusalToWrite, seesRow } from './access/access.js';
import { refusalToChoose } from './access/offers.js';
import { refusalToFollow } from './access/reading.js';
import { refusalToCreate, refusalToKeep } from './access/writing.js';
import {
  asksOutside,
  checkOutside,
  draftOf,
  dropUnchanged,
  refuseFaults,
  type Draft,
  warningsAfter,
} from './write/assign.js';
import { AtOnce } from './write/at-once.js';
import { constraintError } from './write/constraint-errors.js';
import { type Link, pagingOf } from './response/envelope.js';
import { checkConditions } from './response/etag.js';
import { type Includes, NO_INCLUDES, parseIncludes } from './query/includes.js';
import { kindOf, type EntityClass } from './schema/kind.js';
import { type LinkedKind, type Parent, relationAt } from './schema/kind-graph.js';
import type { PagePart } from './response/large-pages.js';
import { planList, type ListContext, type ListPlan } from './query/list-query.js';
import { optionProps, optionsOf, type Option, type OptionSource } from './response/options.js';
import { columnOf } from './schema/prop.js';
import { QueryReader } from './query/query-reader.js';
import { RecordAnswer } from './response/record-answer.js';
import type { RecordEngine } from './record-engine.js';
import { hasWaited } from './access/rights.js';
import type { Row } from './row.js';
import {
  hasSurroundings,
  NO_SURROUNDINGS,
  type Page,
  type Surroundings,
  surroundingsOf,
} from './response/surroundings.js';
import type { Viewer } from '../common/viewer.js';

/** A named extra: one value per row, for a whole page at once. */
export type ExtraSource = (rows: readonly Row[], viewer: Viewer) => Promise<readonly unknown[]>;

/** What a service knows of its kind beyond the declaration, for the API's description. */
export interface AnswerSchemas {
  /** What its hooks ask of props, and how it writes them: keywords that join what the declaration says of the prop. */
  readonly props?: Schemas;
  /** What `describeMeta` gives, always. */
  readonly meta?: Schemas;
  /** What a draft's `meta` adds to the answer of a create. */
  readonly createMeta?: Schemas;
  /** What `describeLinks` gives, if it gives it: name → what is there. */
  readonly links?: Readonly<Record<string, string>>;
  /** One value of an extra; by default anything. */
  readonly extras?: Schemas;
  /** Failures of create and update beyond those of the engine. */
  readonly writeErrors?: readonly ErrorName[];
}

/** What a write wants to know of its request beside the body; `headers` for its conditions (RFC 9110 §13). */
export type WriteRequest = Pick<ApiRequest, 'viewer' | 'query' | 'headers' | 'actor' | 'ip' | 'log'>;

/**
 * The verbs of one kind. A kind's service extends it and varies it through its hooks, never by overriding
 * a verb. Every verb throws ApiError: 401, 403, 404, 409, 412, 441, 442 (docs/errors.md).
 */
export abstract class RecordService {
  readonly kind: LinkedKind;
  /** Option lists that props name with `options`. */
  readonly optionSources: ReadonlyMap<string, OptionSource> = new Map();
  /** What `includeExtra` can ask for. */
  readonly extras: ReadonlyMap<string, ExtraSource> = new Map();
  /** Describes what the hooks below ask of bodies and add to answers. */
  readonly schemas: AnswerSchemas = {};

  private readonly atOnce: AtOnce;

  constructor(
    protected readonly engine: RecordEngine,
    entity: EntityClass,
  ) {
    this.kind = engine.graph.get(kindOf(entity).kind);
    this.atOnce = new AtOnce(this.kind, engine.store, () => this.isHooked());
    engine.register(this);
  }

  /** A page of the rows that the viewer may see. */
  list(viewer: Viewer, query: QueryParams, asker: Asker = THE_SERVICE): Promise<RecordAnswer> {
    return this.page(viewer, query, asker);
  }

  /** One record by its public id. */
  async read(viewer: Viewer, id: string, query: QueryParams): Promise<RecordAnswer> {
    const { includes, warnings } = this.includes(query);
    const rows = [await this.visible(viewer, id)];
    const page = { kind: this.kind, viewer, rows, includes, ids: [id] };
    return new RecordAnswer(page, await this.around(page), warnings);
  }

  /** The option lists of the props that the viewer could see or edit on a record of its own. */
  async options(viewer: Viewer): Promise<Record<string, readonly Option[]>> {
    const refused = refusalToChoose(this.kind, viewer);
    if (refused) throw refused;
    const lists: Record<string, readonly Option[]> = {};
    for (const prop of optionProps(this.kind, viewer)) {
      lists[prop.name] = await optionsOf(prop, this.optionSources, viewer);
    }
    return lists;
  }

  /** What stands at `/<id>/<segment>`: a child list or the parent record. */
  async relation(
    viewer: Viewer,
    id: string,
    segment: string,
    query: QueryParams,
    asker?: Asker,
  ): Promise<RecordAnswer> {
    if (!relationAt(this.kind, segment)) throw notFound();
    return this.relationOf(viewer, await this.visible(viewer, id), segment, query, asker);
  }

  /** What stands at a relation of a row that the viewer may see. */
  protected async relationOf(
    viewer: Viewer,
    row: Row,
    segment: string,
    query: QueryParams,
    asker: Asker = THE_SERVICE,
  ): Promise<RecordAnswer> {
    const relation = relationAt(this.kind, segment);
    if (!relation) throw notFound();
    const refused = refusalToFollow(relation, segment, this.kind, viewer, row);
    if (refused) throw refused;
    const service = this.engine.service(relation.kind);
    if ('foreignProp' in relation) {
      const parent = { prop: relation.foreignProp, id: String(row.id) };
      return service.page(viewer, query, asker, parent);
    }
    return service.parentRecord(viewer, row[columnOf(relation.prop)], query);
  }

  /** Creates a record from a body of props. */
  async create(body: unknown, request: WriteRequest): Promise<RecordAnswer> {
    const { viewer, query } = request;
    const refused = refusalToCreate(this.kind, viewer);
    if (refused) throw refused;
    const { includes, warnings } = this.includes(query);
    const draft = draftOf(bodyOf(body), this.kind, viewer, null, this.engine.ids);
    await this.ready(draft, request);
    const row = await this.storeNew(draft);
    await this.committed(null, row, request, draft);
    return this.answer(viewer, row, includes, [...draft.warnings, ...warnings], draft.meta);
  }

  /**
   * Changes the given props of a record; what the body leaves out stays.
   * @param first runs in the same transaction before the body is checked, which may run again: it acts on the
   *   database alone
   */
  async update(
    id: string,
    body: unknown,
    request: WriteRequest,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<RecordAnswer> {
    const { viewer, query } = request;
    const { includes, warnings } = this.includes(query);
    const found = this.writable(viewer, await this.load(id));
    const draft = draftOf(bodyOf(body), this.kind, viewer, found, this.engine.ids);
    await this.ready(draft, request);
    const { before, row } =
      (first ? null : await this.updateAtOnce(draft, found, request)) ??
      (await this.writing((tx) => this.change(tx, draft, found, request, first)));
    await this.committed(before, row, request, draft);
    return this.answer(
      this.viewerAfter(viewer, row),
      row,
      includes,
      [...warningsAfter(draft, before, row), ...warnings],
      draft.meta,
    );
  }

  /** Deletes a record and answers it as it was; what has much below it is closed, and goes in batches (removals.ts). */
  async remove(id: string, request: WriteRequest): Promise<RecordAnswer> {
    const { viewer, query } = request;
    const { includes, warnings } = this.includes(query);
    const before = this.writable(viewer, await this.load(id));
    const { removals } = this.engine.store;
    const { table } = this.kind;
    let isClosed = false;
    const row = await this.writing(async (tx) => {
      const locked = this.writable(
        viewer,
        await this.engine.store.lockToRemove(tx, this.kind, String(before.id)),
      );
      await this.reauthorised(viewer, tx);
      checkConditions(request.headers, locked);
      await this.beforeRemove(locked, tx);
      isClosed = await removals.close(tx, table, String(locked.id));
      if (!isClosed) {
        await this.engine.store.detach(tx, this.kind, String(locked.id));
        await this.engine.store.remove(tx, this.kind, String(locked.id));
      }
      return locked;
    }, true);
    if (isClosed) removals.closedNow(table, String(row.id));
    await this.committed(row, null, request, null);
    return this.answer(viewer, row, includes, warnings, includes.meta ? { deleted: true } : {});
  }

  /** The public ids of rows of this kind. */
  publicIds(rows: readonly Row[]): string[] {
    return this.engine.ids.encodeAll(
      this.kind.kind,
      rows.map((row) => String(row.id)),
    );
  }

  /** The public ids of row ids of this kind, which records of other kinds name. */
  publicIdsOf(ids: readonly string[]): string[] {
    return this.engine.ids.encodeNamed(this.kind.kind, ids);
  }

  // Hooks, each a single thing that a kind may add. The defaults do nothing.

  /** Slow or limited work on a checked body, outside the transaction: hashing a password, counting sign-ups. */
  protected prepare(_draft: Draft, _request: WriteRequest): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, before the write: rules that look at other rows, values that depend on others. */
  protected beforeSave(_draft: Draft, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, after the write. */
  protected afterSave(_row: Row, _draft: Draft, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, before the deletion. */
  protected beforeRemove(_row: Row, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** After the write is stored: what must happen once only, such as a line in the log. `draft` is null for a deletion. */
  protected committed(
    _before: Row | null,
    _after: Row | null,
    _request: WriteRequest,
    _draft: Draft | null,
  ): Promise<void> {
    return Promise.resolve();
  }

  /** The caller's rights after its own change of `row`; the answer is shown by them. */
  protected viewerAfter(viewer: Viewer, _row: Row): Viewer {
    return viewer;
  }

  /** What stands against naming `row`, a record of this kind that the caller may name, as a parent. */
  refusalAsParent(_row: Row, _parent: Parent): ApiError | null {
    return null;
  }

  /** Generated properties that everybody who sees the row may see. */
  describeMeta(_row: Row, _viewer: Viewer, _isOwner: boolean): Record<string, unknown> {
    return {};
  }

  /** Links beyond base, self and the relations. */
  describeLinks(_row: Row, _id: string, _viewer: Viewer, _isOwner: boolean): Record<string, Link> {
    return {};
  }

  // What the verbs share.

  /** One row as an answer; for services with operations of their own. */
  protected async answer(
    viewer: Viewer,
    row: Row,
    includes: Includes,
    warnings: readonly Warning[] = [],
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<RecordAnswer> {
    const page = { kind: this.kind, viewer, rows: [row], includes };
    return new RecordAnswer(page, await this.around(page), warnings, meta);
  }

  /** Reads the include parameters of a single-record answer; other parameters are warned about. */
  protected includes(query: QueryParams): { includes: Includes; warnings: readonly Warning[] } {
    if (!query.size) return { includes: NO_INCLUDES, warnings: [] };
    const reader = new QueryReader(query);
    const includes = parseIncludes(reader, this.kind, this.extras);
    return { includes, warnings: reader.unknown() };
  }

  /** The row of a public id, or null. */
  protected async load(id: string): Promise<Row | null> {
    const rowId = this.engine.ids.decode(this.kind.kind, id);
    return rowId === null ? null : this.engine.store.get(this.kind, rowId);
  }

  /** The row of a public id that the viewer may see; 404 for every other id. */
  protected async visible(viewer: Viewer, id: string): Promise<Row> {
    const row = await this.load(id);
    if (!row || !seesRow(this.kind, viewer, row)) throw notFound();
    return row;
  }

  /** A parent relation of this kind by its name. */
  protected parent(name: string): Parent {
    const parent = this.kind.parents.get(name);
    if (!parent) throw new Error(`Kind ${this.kind.kind} has no parent relation ${name}.`);
    return parent;
  }

  /** The row itself if the viewer may write it; throws 404, 401 or 403. */
  protected writable(viewer: Viewer, row: Row | null): Row {
    const refused = refusalToWrite(this.kind, viewer, row);
    if (refused || !row) throw refused ?? notFound();
    return row;
  }

  /** One transaction, whose constraint violations become 409s that name the prop alone. */
  protected async writing<T>(work: (tx: Transaction) => Promise<T>, removing = false): Promise<T> {
    try {
      return await this.engine.store.database.transaction(work, this.kind.table);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw constraintError(error, removing ? null : this.engine.store.sql(this.kind));
    }
  }

  /** What has waited is authorised again, by what holds now. */
  protected async reauthorised(viewer: Viewer, tx: Transaction): Promise<void> {
    if (hasWaited(viewer)) await this.engine.rights?.confirm(tx, viewer);
  }

  private around(page: Page): Surroundings | Promise<Surroundings> {
    return hasSurroundings(page.includes) ? surroundingsOf(this.engine, page) : NO_SURROUNDINGS;
  }

  private async page(
    viewer: Viewer,
    query: QueryParams,
    asker: Asker,
    parent?: ListContext['parent'],
  ): Promise<RecordAnswer> {
    const refused = refusalToList(this.kind, viewer);
    if (refused) throw refused;
    const { store, ids } = this.engine;
    const context = {
      kind: this.kind,
      viewer,
      sql: store.sql(this.kind),
      ids,
      extras: this.extras,
      closed: store.removals.of(this.kind.table),
      pageBytes: store.pageBytes,
      parent,
    };
    const plan = planList(query, context);
    const { largePages } = this.engine;
    const leave = await largePages.enter(this.partsOf(plan), asker);
    try {
      const { rows, count } = await this.rowsOf(plan, asker);
      const paging = pagingOf(plan.page, plan.itemsPerPage, Math.min(count, plan.maxItems));
      const page = { kind: this.kind, viewer, rows, includes: plan.includes };
      const around = await this.around(page);
      const related = [...around.related].map(([{ kind }, rows]) => ({ table: kind.table, rows }));
      await largePages.spread([{ table: this.kind.table, rows }, ...related]);
      return new RecordAnswer(page, around, plan.warnings, {}, paging);
    } finally {
      setImmediate(leave); // what follows at once makes the answer's text
    }
  }

  /** The rows of a page and those that are included. */
  private partsOf({ itemsPerPage: count, includes }: ListPlan): PagePart[] {
    const { store } = this.engine;
    return [this.kind, ...includes.related.map(({ kind }) => kind)].map((kind) => ({
      table: kind.table,
      count,
      most: Math.min(count * store.sql(kind).mostBytes, store.pageBytes),
    }));
  }

  /** The rows of a page, and how many there are on all pages. */
  private async rowsOf(plan: ListPlan, asker: Asker): Promise<{ rows: Row[]; count: number }> {
    const { store } = this.engine;
    const before = (plan.page - 1) * plan.itemsPerPage;
    const few = plan.few && (await store.few(plan.few, asker));
    const wanted = few ? plan.rows?.among(few) : plan.rows;
    const [rows, known] = await Promise.all([
      wanted ? store.rows(wanted, asker) : [],
      plan.total === 'kept' ? store.total(this.kind, plan.total, asker) : few && few.length,
    ]);
    // A page that is not full, and not empty unless it is the first, proves the total by itself.
    const proven =
      rows.length < Math.min(plan.itemsPerPage, plan.maxItems - before) && (rows.length > 0 || before === 0);
    const count = proven
      ? before + rows.length
      : (known ?? (await store.total(this.kind, plan.total, asker)));
    return { rows, count };
  }

  /** A create that must look at other rows, or lets hooks look at its own. */
  private async insert(tx: Transaction, draft: Draft): Promise<Row> {
    const current = attemptOf(draft, null);
    await this.check(current, tx);
    await this.beforeSave(current, tx);
    await this.reauthorised(draft.viewer, tx);
    const row = await this.engine.store.insert(tx, this.kind, current.values);
    const refused = refusalToKeep(this.kind, draft.viewer, row);
    if (refused) throw refused;
    await this.afterSave(row, current, tx);
    return row;
  }

  /** Stores a new record, if its owner may have one more. */
  private async storeNew(draft: Draft): Promise<Row> {
    const reserved = this.engine.quotas.reserve(this.kind, draft);
    const release = reserved instanceof Promise ? await reserved : reserved;
    try {
      return (await this.atOnce.insert(draft)) ?? (await this.writing((tx) => this.insert(tx, draft)));
    } finally {
      release();
    }
  }

  private async updateAtOnce(draft: Draft, found: Row, { headers }: WriteRequest): Promise<Change | null> {
    checkConditions(headers, found);
    const row = await this.atOnce.update(draft, found);
    return row && { before: found, row };
  }

  /** An update under a lock, for the same reasons. */
  private async change(
    tx: Transaction,
    draft: Draft,
    found: Row,
    { headers }: WriteRequest,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<Change> {
    const before = this.writable(
      draft.viewer,
      await this.engine.store.lock(tx, this.kind, String(found.id), 'NO KEY UPDATE'),
    );
    await this.reauthorised(draft.viewer, tx);
    checkConditions(headers, before);
    await first?.(tx);
    const attempt = attemptOf(draft, before);
    await this.check(attempt, tx);
    const current = dropUnchanged(attempt, this.kind);
    await this.beforeSave(current, tx);
    if (!current.values.size) return { before, row: before };
    const row = await this.engine.store.update(tx, this.kind, String(before.id), current.values);
    await this.afterSave(row, current, tx);
    return { before, row };
  }

  /** Whether the service of this kind, or that of the users, has a say in a write. */
  private isHooked(): boolean {
    const differs = (service: RecordService, hook: 'beforeSave' | 'afterSave' | 'refusalAsParent') =>
      service[hook] !== RecordService.prototype[hook];
    const users = this.engine.service(this.engine.graph.userKind);
    return differs(this, 'beforeSave') || differs(this, 'afterSave') || differs(users, 'refusalAsParent');
  }

  private async parentRecord(viewer: Viewer, id: unknown, query: QueryParams): Promise<RecordAnswer> {
    const { includes, warnings } = this.includes(query);
    const row = typeof id === 'string' ? await this.engine.store.get(this.kind, id) : null;
    if (!row || !seesRow(this.kind, viewer, row)) throw notFound();
    return this.answer(viewer, row, includes, warnings);
  }

  /** A body with faults goes no further, unless a look outside it may find an earlier fault; a good one is prepared. */
  private async ready(draft: Draft, request: WriteRequest): Promise<void> {
    if (!draft.faults.length) await this.prepare(draft, request);
    else if (!asksOutside(draft, this.kind)) refuseFaults(draft, this.kind);
  }

  private async check(draft: Draft, tx: Transaction): Promise<void> {
    await checkOutside(draft, this.kind, {
      parentRefusal: (parent, row) => this.engine.service(parent.kind).refusalAsParent(row, parent),
      parentRow: (parent, id) => this.engine.store.lock(tx, parent.kind, id, 'KEY SHARE'),
      optionList: async (name) => (await this.optionSources.get(name)?.(draft.viewer)) ?? [],
    });
    refuseFaults(draft, this.kind);
  }
}

/** An update: the row before and after. */
interface Change {
  readonly before: Row;
  readonly row: Row;
}

/** A draft for one try of the transaction: what the try drops or adds must not reach the next one. */
function attemptOf(draft: Draft, before: Row | null): Draft {
  return { ...draft, before, values: new Map(draft.values), faults: [...draft.faults] };
}

/** A body is an object of props (body-parser.ts); none at all is a missing one. */
function bodyOf(body: unknown): object {
  if (typeof body !== 'object' || body === null) throw emptyBody();
  return body;
}
