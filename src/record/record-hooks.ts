import type { ErrorName, ApiError } from '../common/errors.js';
import type { Viewer } from '../common/viewer.js';
import type { ApiRequest } from '../http/api-request.js';
import type { Schemas } from '../openapi-model/json-schema.js';
import type { Transaction } from '../postgres/database.js';
import type { RecordEntity } from './record.entity.js';
import type { Link } from './response/envelope.js';
import type { OptionSource } from './response/options.js';
import type { Row, RowOf } from './row.js';
import type { Parent } from './schema/kind-graph.js';
import type { ChangeSet, ChangeSetOf } from './write/change-set.js';

/** A named extra: one value per row, for a whole page at once. */
export type ExtraSource = (rows: readonly Row[], viewer: Viewer) => Promise<readonly unknown[]>;

/** What a service knows of its kind beyond the declaration, for the API's description. */
export interface ResponseSchemas {
  /** What its hooks ask of props, and how it writes them: keywords that join what the declaration says of the prop. */
  readonly props?: Schemas;
  /** What `serializeMeta` gives, always. */
  readonly meta?: Schemas;
  /** What a change set's `meta` adds to the answer of a create. */
  readonly createMeta?: Schemas;
  /** What `serializeLinks` gives, if it gives it: name → what is there. */
  readonly links?: Readonly<Record<string, string>>;
  /** One value of an extra; by default anything. */
  readonly extras?: Schemas;
  /** Failures of create and update beyond those of the engine. */
  readonly writeErrors?: readonly ErrorName[];
}

/** What a write wants to know of its request beside the body; `headers` for its conditions (RFC 9110 §13). */
export type WriteRequest = Pick<ApiRequest, 'viewer' | 'query' | 'headers' | 'actor' | 'ip' | 'log'>;

/** What a kind's service has to say while a record is written, all in the transaction that writes it. */
export interface WriteHooks {
  /** Whether it says anything to a create or an update: where it doesn't, writes of one moment share a statement. */
  isHooked(): boolean;
  beforeSave(changeSet: ChangeSet, tx: Transaction): Promise<void>;
  afterSave(row: Row, changeSet: ChangeSet, tx: Transaction): Promise<void>;
  beforeRemove(row: Row, tx: Transaction): Promise<void>;
}

/**
 * What a kind may add to the verbs of its records. Each hook is a single thing, and the defaults do nothing. `E` is the
 * entity: rows and values have the types that it declares.
 */
export abstract class RecordHooks<E extends RecordEntity = RecordEntity> {
  /** Option lists that props name with `options`. */
  readonly optionSources: ReadonlyMap<string, OptionSource> = new Map();
  /** What `includeExtra` can ask for. */
  readonly extras: ReadonlyMap<string, ExtraSource> = new Map();
  /** Describes what the hooks below ask of bodies and add to answers. */
  readonly schemas: ResponseSchemas = {};

  /** Slow or limited work on a checked body, outside the transaction: hashing a password, counting sign-ups. */
  protected prepare(_draft: ChangeSetOf<E>, _request: WriteRequest): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, before the write: rules that look at other rows, values that depend on others. */
  protected beforeSave(_draft: ChangeSetOf<E>, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, after the write. */
  protected afterSave(_row: RowOf<E>, _draft: ChangeSetOf<E>, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** Inside the transaction, before the deletion. */
  protected beforeRemove(_row: RowOf<E>, _tx: Transaction): Promise<void> {
    return Promise.resolve();
  }

  /** After the write is stored: what must happen once only, such as a line in the log. `changeSet` is null for a deletion. */
  protected committed(
    _before: RowOf<E> | null,
    _after: RowOf<E> | null,
    _request: WriteRequest,
    _draft: ChangeSetOf<E> | null,
  ): Promise<void> {
    return Promise.resolve();
  }

  /** The caller's rights after its own change of `row`; the answer is shown by them. */
  protected viewerAfter(viewer: Viewer, _row: RowOf<E>): Viewer {
    return viewer;
  }

  /** What stands against naming `row`, a record of this kind that the caller may name, as a parent. */
  denyAsParent(_row: RowOf<E>, _parent: Parent): ApiError | null {
    return null;
  }

  /** Generated properties that everybody who sees the row may see. */
  serializeMeta(_row: RowOf<E>, _viewer: Viewer, _isOwner: boolean): Record<string, unknown> {
    return {};
  }

  /** Links beyond base, self and the relations. */
  serializeLinks(_row: RowOf<E>, _id: string, _viewer: Viewer, _isOwner: boolean): Record<string, Link> {
    return {};
  }

  /** The public ids of rows of this kind. */
  abstract publicIds(rows: readonly Row[]): string[];

  /** Whether the service has a hook of its own. */
  overrides(hook: 'beforeSave' | 'afterSave' | 'denyAsParent'): boolean {
    return this[hook] !== RecordHooks.prototype[hook];
  }

  /** The hooks as the writer calls them; rows of this kind have the types of its entity. */
  protected writeHooks(): WriteHooks {
    return {
      isHooked: () => this.overrides('beforeSave') || this.overrides('afterSave'),
      beforeSave: (changeSet, tx) => this.beforeSave(changeSet as ChangeSetOf<E>, tx),
      afterSave: (row, changeSet, tx) => this.afterSave(row as RowOf<E>, changeSet as ChangeSetOf<E>, tx),
      beforeRemove: (row, tx) => this.beforeRemove(row as RowOf<E>, tx),
    };
  }
}
