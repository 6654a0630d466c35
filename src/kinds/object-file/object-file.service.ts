import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { StartupError } from '../../common/startup-error.js';
import type { Transaction } from '../../postgres/database.js';
import { type ApiError, conflict, fileTooLarge, unsupportedType } from '../../common/errors.js';
import { DATE_TIME } from '../../openapi-model/json-schema.js';
import { MAX_IMAGE_BYTES } from '../../files/media/media-jobs.js';
import { owns } from '../../record/access/access.js';
import { ApiVersions } from '../../record/api-versions.js';
import type { ChangeSetOf } from '../../record/write/change-set.js';
import type { Link } from '../../record/response/envelope.js';
import type { Parent } from '../../record/schema/kind-graph.js';
import { RecordEngine } from '../../record/record-engine.js';
import { type ResponseSchemas, type ExtraSource, RecordService } from '../../record/record.service.js';
import type { Row, RowOf } from '../../record/row.js';
import type { Viewer } from '../../common/viewer.js';
import { FileStorage, newKey, UPLOAD_TAIL_MS } from '../../storage/file-storage.js';
import { DownloadLinks } from '../../files/download-links.js';
import { FILE_TYPES, type FileType } from '../../files/file-types.js';
import { extensionOf, faultOfContentType, faultOfFilename, FILENAME_PATTERN } from '../../files/filename.js';
import { contentTypeOf } from '../../files/media-types.js';
import { ObjectFile } from './object-file.entity.js';
import { FileCleaner } from '../../files/file-cleaner.js';
import { ReceivedUploads } from '../../files/received-uploads.js';

/** Milliseconds that an upload URL is valid. */
const UPLOAD_MS = 15 * 60_000;
/** First key of the advisory locks that count a user's uploads; the second is the user. */
const PENDING_LOCK = 7_203;

/** Files: upload rules and URLs, rules for relations to files, and links to the bytes. */
@Injectable()
export class ObjectFileService extends RecordService<ObjectFile> implements OnApplicationBootstrap {
  override readonly schemas: ResponseSchemas = {
    props: { filename: { pattern: FILENAME_PATTERN } },
    createMeta: {
      presignedUrl: {
        type: 'string',
        format: 'uri',
        description: 'Where to `PUT` the bytes; in this answer only.',
      },
      uploadHeaders: {
        type: 'object',
        description: 'The headers that the upload must have; browsers set `content-length` themselves.',
        additionalProperties: { type: 'string' },
      },
      uploadExpiresAt: { ...DATE_TIME, description: 'Until when the upload may start.' },
    },
    links: {
      file: 'The bytes of a ready file; valid for 15 minutes.',
      thumbnail: 'The thumbnail, for png, jpg, gif and webp.',
    },
    extras: {
      downloadUrl: {
        type: ['string', 'null'],
        format: 'uri',
        description: 'A URL of the bytes, valid for 15 minutes; null unless the file is ready and yours.',
      },
    },
    writeErrors: ['storageFull'],
  };
  override readonly extras: ReadonlyMap<string, ExtraSource> = new Map([
    ['downloadUrl', (rows, viewer) => Promise.resolve(this.downloadUrls(rows, viewer))],
  ]);

  /** Computed by the first create, when all kinds are linked. */
  private acceptedByAny: ReadonlySet<string> | null | undefined;

  constructor(
    engine: RecordEngine,
    private readonly config: Config,
    private readonly storage: FileStorage,
    private readonly received: ReceivedUploads,
    private readonly links: DownloadLinks,
    private readonly cleaner: FileCleaner,
    private readonly versions: ApiVersions,
  ) {
    super(engine, ObjectFile);
  }

  /** @throws StartupError when a relation accepts an extension that no file can have */
  onApplicationBootstrap(): void {
    for (const kind of this.engine.graph.all()) {
      for (const { prop, relation, kind: parent } of kind.parents.values()) {
        const accepted = relation.acceptedFileExtensions;
        if (!accepted) continue;
        const wrong = accepted.find((extension) => !FILE_TYPES.has(extension));
        const fail = (fix: string) => {
          throw new StartupError(`Kind ${kind.kind}: prop ${prop.name}: ${fix}`);
        };
        if (parent !== this.kind) fail(`acceptedFileExtensions is for parents of kind ${this.kind.kind}.`);
        if (wrong !== undefined) {
          fail(`acceptedFileExtensions names "${wrong}", which is not in file-types.ts; take one that is.`);
        }
      }
    }
  }

  protected override async prepare(changeSet: ChangeSetOf<ObjectFile>): Promise<void> {
    if (changeSet.before) return;
    const { values } = changeSet;
    // Normalize, because systems differ: macOS decomposes letters. People type the composed form.
    const filename = String(values.get('filename')).normalize('NFC');
    const declared = String(values.get('contentType')).trim();
    const size = Number(values.get('sizeInBytes'));
    const extension = extensionOf(filename);
    const type = FILE_TYPES.get(extension);
    this.collect(changeSet, 'filename', faultOfFilename(filename) ?? this.faultOfUse(extension));
    if (!type) return;
    this.collect(changeSet, 'contentType', faultOfContentType(declared, type, extension));
    const limit = this.limitOf(type);
    this.collect(changeSet, 'sizeInBytes', size > limit ? fileTooLarge(limit) : null);
    if (changeSet.issues.length) return;
    await this.received.checkRoom(size);
    await this.storage.checkRoom(size);
    const stagingKey = newKey('staging');
    const expiresAt = new Date(Date.now() + UPLOAD_MS);
    values.set('filename', filename);
    values.set('contentType', contentTypeOf(declared, type, extension));
    values.set('extension', extension);
    values.set('stagingKey', stagingKey);
    values.set('uploadsEndAt', new Date(expiresAt.getTime() + UPLOAD_TAIL_MS).toISOString());
    // The client must send the type that it has declared.
    const grant = await this.storage.grantUpload(stagingKey, { contentType: declared, size, expiresAt });
    changeSet.meta.presignedUrl = grant.url;
    changeSet.meta.uploadHeaders = grant.headers;
    changeSet.meta.uploadExpiresAt = expiresAt.toISOString();
  }

  protected override async beforeSave(changeSet: ChangeSetOf<ObjectFile>, tx: Transaction): Promise<void> {
    if (changeSet.before) return;
    const userId = changeSet.values.get('userId');
    // Makes the count exact for simultaneous requests. The key is the user, reduced to 32 bits.
    const lock = 'SELECT pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)';
    await tx.query({ text: lock, values: [PENDING_LOCK, userId] });
    const { maxPendingFiles, maxPendingBytes } = this.config;
    const size = Number(changeSet.values.get('sizeInBytes'));
    const own = await this.pending(tx, String(userId));
    const fix = 'import or delete some first.';
    if (own.count >= maxPendingFiles) {
      throw conflict(`You have ${maxPendingFiles} uploads that are not imported yet; ${fix}`);
    }
    if (own.bytes + size > maxPendingBytes) {
      throw conflict(
        `Your uploads that are not imported yet would have over ${maxPendingBytes} bytes; ${fix}`,
      );
    }
  }

  /** The uploads that a user has begun and not imported. */
  private async pending(tx: Transaction, userId: string): Promise<{ count: number; bytes: number }> {
    const text =
      `SELECT count(*) AS count, coalesce(sum("sizeInBytes"), 0) AS bytes FROM "${this.kind.table}"` +
      ` WHERE status = 'pending' AND "userId" = $1`;
    const [row] = await tx.query({ text, values: [userId] });
    return { count: Number(row?.count), bytes: Number(row?.bytes) };
  }

  /** Refuses a file that no relation accepts. It could never be imported, but would be stored for a day. */
  private faultOfUse(extension: string): ApiError | null {
    const accepted = this.accepted();
    if (!accepted || accepted.has(extension)) return null;
    const list = [...accepted].join(', ');
    return unsupportedType(`Nothing here takes .${extension} files; it takes ${list}.`, 'filename');
  }

  /** The extensions that some relation accepts, in any version of the API; null: all. */
  private accepted(): ReadonlySet<string> | null {
    if (this.acceptedByAny !== undefined) return this.acceptedByAny;
    const parents = this.versions.names
      .flatMap((name) => this.versions.engine(name).graph.all())
      .flatMap((kind) => [...kind.parents.values()])
      .filter(({ relation }) => relation.kind === this.kind.kind);
    const lists = parents.map(({ relation }) => relation.acceptedFileExtensions);
    const isOpen = lists.some((list) => list === undefined);
    this.acceptedByAny = isOpen ? null : new Set(lists.flatMap((list) => list ?? []));
    return this.acceptedByAny;
  }

  protected override committed(
    _before: RowOf<ObjectFile> | null,
    after: RowOf<ObjectFile> | null,
  ): Promise<void> {
    if (!after) this.cleaner.schedule();
    return Promise.resolve();
  }

  override denyAsParent(row: RowOf<ObjectFile>, { prop, relation }: Parent): ApiError | null {
    const accepted = relation.acceptedFileExtensions;
    if (accepted && !accepted.includes(row.extension)) {
      return unsupportedType(`${prop.name} takes ${accepted.join(', ')} files alone.`, prop.name);
    }
    if (row.status !== 'ready') {
      return conflict(`${prop.name} must name a file that has been imported.`, prop.name);
    }
    return null;
  }

  override serializeLinks(
    row: RowOf<ObjectFile>,
    id: string,
    _viewer: Viewer,
    isOwner: boolean,
  ): Record<string, Link> {
    if (!isOwner || row.status !== 'ready') return {};
    const file: Link = { href: this.links.path(id, 'file'), methods: ['GET'], usage: 'file' };
    if (!FILE_TYPES.get(row.extension)?.raster) return { file };
    const thumbnail: Link = { href: this.links.path(id, 'thumbnail'), methods: ['GET'], usage: 'image' };
    return { file, thumbnail };
  }

  private downloadUrls(rows: readonly Row[], viewer: Viewer): (string | null)[] {
    const ids = this.publicIds(rows);
    return rows.map((row, i) => {
      if (row.status !== 'ready' || !owns(this.kind, viewer, row)) return null;
      return this.links.url(ids[i] ?? '', 'file');
    });
  }

  private limitOf(type: FileType): number {
    const { maxFileBytes } = this.config;
    return type.raster ? Math.min(maxFileBytes, MAX_IMAGE_BYTES) : maxFileBytes;
  }

  private collect(changeSet: ChangeSetOf<ObjectFile>, column: string, error: ApiError | null): void {
    if (!error) return;
    const prop = this.kind.byColumn.get(column);
    if (!prop) throw error; // a version that does not have the prop
    changeSet.issues.push({ prop, error });
  }
}
