import { Injectable } from '@nestjs/common';
import type { Transaction } from '../postgres/database.js';
import { conflict, invalid, missing, type Warning } from '../common/errors.js';
import { MediaPool } from './media/media-pool.js';
import { MediaRefusal } from './media/media-jobs.js';
import { noSuchRecord, denyName } from '../record/access/writing.js';
import { ApiVersions } from '../record/api-versions.js';
import type { Parent } from '../record/schema/kind-graph.js';
import type { Row } from '../record/row.js';
import type { Viewer } from '../common/viewer.js';
import { SessionStore } from '../auth/session-store.js';
import { FileStorage } from '../storage/file-storage.js';
import { type Lease, FileLeases, type Stored } from './file-leases.js';
import { FileVerifier } from './file-verifier.js';
import { faultOfMedia, notUploaded, statusAfter } from './import-faults.js';
import { FileCleaner } from './file-cleaner.js';

/** A request of another kind to import a file. */
export interface ImportRequest {
  /** The relation that will refer to the file. */
  readonly relation: Parent;
  /** The request's body: `{objectFileId}`. */
  readonly body: unknown;
  readonly viewer: Viewer;
  /** Pictures are cut to this size, in pixels; null: they keep their size. */
  readonly cover: { readonly width: number; readonly height: number } | null;
}

/** A verified file that is about to be attached. */
export interface ImportedFile {
  /** Public id. */
  readonly id: string;
  /** Remarks on the body. */
  readonly warnings: readonly Warning[];
  /** Makes the file ready. Call it inside the transaction that attaches it. */
  readonly keep: (tx: Transaction) => Promise<void>;
}

/**
 * The third step of an upload, for any parent relation to the file kind: leases the file, verifies and transforms its bytes,
 * stores them under keys for which no client has ever had a URL, and passes it to the operation that attaches it.
 */
@Injectable()
export class FileImports {
  constructor(
    private readonly versions: ApiVersions,
    private readonly leases: FileLeases,
    private readonly verifier: FileVerifier,
    private readonly storage: FileStorage,
    private readonly pool: MediaPool,
    private readonly cleaner: FileCleaner,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * @param attach makes the target record name the file, in one transaction with `keep`, and so commits the import
   * @throws ApiError 401, 403, 404, 409 (not uploaded yet, imported, being imported), 415, 429, 441, 442, 503
   */
  async run<T>(request: ImportRequest, attach: (file: ImportedFile) => Promise<T>): Promise<T> {
    const { id, warnings } = idOf(request.body);
    const row = await this.fileOf(id, request);
    // Told before it waits for its turn, and before it takes the file from another import.
    await this.refuseEarly(row, request.relation);
    const slot = await this.pool.acquire(request.viewer.userId ?? '');
    let lease: Lease | null = null;
    try {
      lease = await this.leases.take(row.id);
      const stored = await this.verifier.verifyAndStore(lease, row, request.cover, slot);
      const keep = this.importedFile(lease, stored, request.viewer);
      return await attach({ id, warnings, keep });
    } catch (error) {
      throw lease ? await this.settle(lease, error) : error;
    } finally {
      slot.release();
      this.cleaner.schedule();
    }
  }

  /** A file that the caller may name in this relation. */
  private async fileOf(id: string, { relation, viewer }: ImportRequest): Promise<Row> {
    const { ids, store } = this.versions.engineOf(relation.kind);
    const rowId = ids.decode(relation.kind.kind, id);
    const row = rowId === null ? null : await store.get(relation.kind, rowId);
    const denied = rowId === null ? null : denyName('objectFileId', relation.kind, viewer, row);
    if (!row || denied) throw denied ?? noSuchRecord('objectFileId', relation.kind);
    return row;
  }

  private async refuseEarly(row: Row, relation: Parent): Promise<void> {
    const engine = this.versions.engineOf(relation.kind);
    const denied = engine.service(relation.kind).denyAsParent({ ...row, status: 'ready' }, relation);
    if (denied) throw denied;
    if (row.status === 'ready') throw conflict('This file has already been imported.', 'objectFileId');
    if (row.status !== 'pending') {
      throw conflict('This file was rejected; upload it again.', 'objectFileId');
    }
    const text = 'SELECT "stagingKey" FROM objectfiles WHERE id = $1';
    const [file] = await engine.store.database.read('point', {
      name: 'file_staging',
      text,
      values: [row.id],
      table: 'objectfiles',
    });
    const key = file?.stagingKey;
    if (typeof key === 'string' && (await this.storage.size(key)) === null) throw notUploaded();
  }

  /** What makes the file ready. Its caller has waited for its turn and for the bytes, and is authorized again. */
  private importedFile(lease: Lease, stored: Stored, viewer: Viewer): ImportedFile['keep'] {
    return async (tx) => {
      await this.sessions.confirm(tx, viewer);
      await this.leases.keep(tx, lease, stored);
    };
  }

  /** Stores the state of the file after a failure. Returns the error for the response. */
  private async settle(lease: Lease, error: unknown): Promise<unknown> {
    if (!(error instanceof MediaRefusal)) {
      // If this fails too, the lease expires by itself.
      await this.leases.release(lease).catch(() => undefined);
      return error;
    }
    await this.leases.fail(lease, statusAfter(error.fault));
    return faultOfMedia(error.fault);
  }
}

function idOf(body: unknown): { id: string; warnings: Warning[] } {
  const given = new Map<string, unknown>(
    Object.entries(typeof body === 'object' && body !== null ? body : {}),
  );
  const id = given.get('objectFileId');
  if (id === undefined || id === null || id === '') throw missing('objectFileId');
  if (typeof id !== 'string') throw invalid('objectFileId', 'objectFileId must be a string.');
  given.delete('objectFileId');
  const warnings = [...given.keys()].map((name) => ({
    code: 400,
    message: 'This prop is unknown and was ignored.',
    data: name,
  }));
  return { id, warnings };
}
