import type { ErrorName, ApiError } from '../common/errors.js';
import type { Viewer } from '../common/viewer.js';
import type { ApiRequest } from '../http/api-request.js';
import type { Schemas } from '../openapi-model/json-schema.js';
import type { Transaction } from '../postgres/database.js';
import type { RecordEntity } from './record.entity.js';
import type { Includes } from './query/includes.js';
import type { Link } from './response/envelope.js';
import type { OptionSource } from './response/options.js';
import type { Row, RowOf } from './row.js';
import type { Parent } from './schema/kind-graph.js';
import type { ChangeSet, ChangeSetOf } from './write/change-set.js';

/** A named extra: one value per row, for many rows at once. */
export type ExtraSource = (rows: readonly Row[], viewer: Viewer) => Promise<readonly unknown[]>;

/** Descriptions of what a service's hooks add, for the API's description. */
export interface ResponseSchemas {
  /** Additional keywords for the schemas of props, such as rules of hooks. */
  readonly props?: Schemas;
  /** What `serializeMeta` always returns. */
  readonly meta?: Schemas;
  /** What a change set's `meta` adds to the response to a create. */
  readonly createMeta?: Schemas;
  /** The links that `serializeLinks` may return: name → description. */
  readonly links?: Readonly<Record<string, string>>;
  /** One value of an extra; by default anything. */
  readonly extras?: Schemas;
  /** Failures of create and update beyond those of the engine. */
  readonly writeErrors?: readonly ErrorName[];
}

/** The properties of a request that writes need beside the body; `headers` for conditions (RFC 9110 §13). */
export type WriteRequest = Pick<ApiRequest, 'viewer' | 'query' | 'headers' | 'actor' | 'ip' | 'log'>;

/** The hooks of a kind's service within the transaction that writes a record. */
export interface WriteHooks {
  /** Whether there are hooks for creates or updates. Without them, simultaneous writes share a statement. */
  isHooked(): boolean;
  beforeSave(changeSet: ChangeSet, tx: Transaction): Promise<void>;
  afterSave(row: Row, changeSet: ChangeSet, tx: Transaction): Promise<void>;
  beforeRemove(row: Row, tx: Transaction): Promise<void>;
}

/**
 * The hooks with which a kind extends the verbs of its records. By default they do nothing. `E` is the entity: rows and
 * values have the types that it declares.
 */
export abstract class RecordHooks<E extends RecordEntity = RecordEntity> {
  /** Option lists that props name with `options`. */
  readonly optionSources: ReadonlyMap<string, OptionSource> = new Map();
  /** What `includeExtra` can ask for. */
  readonly extras: ReadonlyMap<string, ExtraSource> = new Map();
  /** Describes what the hooks below require of bodies and add to responses. */
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

  /** After the commit: for effects that must happen only once, such as a log line. `changeSet` is null for a deletion. */
  protected committed(
    _before: RowOf<E> | null,
    _after: RowOf<E> | null,
    _request: WriteRequest,
    _draft: ChangeSetOf<E> | null,
  ): Promise<void> {
    return Promise.resolve();
  }

  /** The caller's rights after its own change of `row`. The response is shown by them. */
  protected viewerAfter(viewer: Viewer, _row: RowOf<E>): Viewer {
    return viewer;
  }

  /** The error for naming `row`, a record of this kind that the caller may name, as a parent; null for none. */
  denyAsParent(_row: RowOf<E>, _parent: Parent): ApiError | null {
    return null;
  }

  /** Generated properties that everybody who sees the row may see. */
  serializeMeta(_row: RowOf<E>, _viewer: Viewer, _isOwner: boolean): Record<string, unknown> {
    return {};
  }

  /** Links beyond base, self and the relations. `mayWrite`: whether the viewer may change the record. */
  serializeLinks(
    _row: RowOf<E>,
    _id: string,
    _viewer: Viewer,
    _isOwner: boolean,
    _mayWrite: boolean,
  ): Record<string, Link> {
    return {};
  }

  /** The public ids of rows of this kind. */
  abstract publicIds(rows: readonly Row[]): string[];

  /** Whether the service has a hook of its own. */
  overrides(hook: 'beforeSave' | 'afterSave' | 'denyAsParent' | 'serializeMeta' | 'serializeLinks'): boolean {
    return this[hook] !== RecordHooks.prototype[hook];
  }

  /** Whether hooks look at the rows of a response with these includes. */
  readsRows({ meta, links, extras }: Includes): boolean {
    return (
      extras.length > 0 ||
      (meta && this.overrides('serializeMeta')) ||
      (links && this.overrides('serializeLinks'))
    );
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
