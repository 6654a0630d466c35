import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { storageUnavailable } from '../common/errors.js';
import { HEAD_BYTES, MediaRefusal, type RasterFormat, TAIL_BYTES } from './media/media-jobs.js';
import type { MediaSlot } from './media/media-pool.js';
import type { Row } from '../record/row.js';
import { FileStorage } from '../storage/file-storage.js';
import { sweepFolder } from '../storage/sweep-folder.js';
import type { Lease, Stored } from './file-leases.js';
import { notUploaded } from './import-faults.js';
import { FILE_TYPES, type FileType } from './file-types.js';

/** The time limit for reading an object, in milliseconds. */
const READ_MS = 60_000;
/** Work folders older than this (milliseconds) belong to a dead process. */
const FOLDER_LIFE_MS = 3_600_000;

/**
 * Uploaded bytes → verified bytes under the lease's final keys. A client can still write to the staging key meanwhile, so
 * all checks use a copy that it can't access.
 */
@Injectable()
export class FileVerifier {
  private readonly folder: string;

  constructor(
    config: Config,
    private readonly storage: FileStorage,
  ) {
    this.folder = join(config.dataDir, 'import');
  }

  /** Removes work folders of dead processes. */
  async sweep(): Promise<void> {
    await sweepFolder(this.folder, FOLDER_LIFE_MS);
  }

  /**
   * Verifies the bytes, transforms pictures, and stores the result.
   * @param file the row of the leased file
   * @throws MediaRefusal for bytes that must not be served; ApiError 409 when there are none yet, 503
   */
  async verifyAndStore(lease: Lease, file: Row, cover: ImageCover, slot: MediaSlot): Promise<Stored> {
    const type = FILE_TYPES.get(String(file.extension));
    const declared = Number(file.sizeInBytes);
    const size = await this.storage.size(lease.stagingKey);
    if (size === null) throw notUploaded();
    if (size !== declared) throw new MediaRefusal('size');
    // The extension was removed from the map since the upload began.
    if (!type) throw new MediaRefusal('magic');
    return type.raster
      ? this.picture(lease, type, type.raster, declared, cover, slot)
      : this.storeUnchanged(lease, type, declared, slot);
  }

  /** Decodes a picture and encodes it again. */
  private async picture(
    lease: Lease,
    { magic }: FileType,
    format: RasterFormat,
    size: number,
    cover: ImageCover,
    slot: MediaSlot,
  ): Promise<Stored> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(this.folder, 'f'));
    try {
      const input = join(folder, 'input');
      const output = join(folder, 'output');
      const thumbnail = join(folder, 'thumbnail');
      await this.fetch(lease.stagingKey, input, size);
      const result = await slot.image({ op: 'image', input, format, magic, cover, output, thumbnail });
      await this.storage.store(lease.fileKey, output, `image/${format}`);
      await this.storage.store(lease.thumbnailKey, thumbnail, `image/${format}`);
      return { size: result.size, facts: result.facts, hasThumbnail: true };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Keeps any other file unchanged, if its content matches its name. */
  private async storeUnchanged(lease: Lease, type: FileType, size: number, slot: MediaSlot): Promise<Stored> {
    const { fileKey } = lease;
    if (!(await this.storage.copy(lease.stagingKey, fileKey))) throw notUploaded();
    if ((await this.storage.size(fileKey)) !== size) throw new MediaRefusal('size');
    const head = await this.part(fileKey, 0, Math.min(HEAD_BYTES, size));
    const tail = await this.part(fileKey, Math.max(0, size - TAIL_BYTES), size);
    const { mime, isText, facts } = await slot.sniff({ op: 'sniff', head, tail, size });
    const fits = type.isText ? isText : mime !== null && type.magic.includes(mime);
    if (!fits) throw new MediaRefusal('magic');
    return { size, facts, hasThumbnail: false };
  }

  /** Copies the object to a local file. Fails if its size differs from the declared one. */
  private async fetch(key: string, file: string, size: number): Promise<void> {
    const bytes = await this.storage.read(key);
    if (!bytes) throw notUploaded();
    let received = 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        received += chunk.length;
        if (received > size) throw new MediaRefusal('size');
        yield chunk;
      }
    };
    try {
      await pipeline(bytes, counted, createWriteStream(file, { mode: 0o600 }), {
        signal: AbortSignal.timeout(READ_MS),
      });
    } catch (error) {
      throw error instanceof MediaRefusal ? error : storageUnavailable(error);
    }
    if (received !== size) throw storageUnavailable();
  }

  /** Bytes from `start` up to, not including, `end`. */
  private async part(key: string, start: number, end: number): Promise<Uint8Array> {
    const bytes = await this.storage.read(key, { start, end: end - 1 });
    if (!bytes) throw storageUnavailable();
    try {
      return await buffer(addAbortSignal(AbortSignal.timeout(READ_MS), bytes));
    } catch (error) {
      throw storageUnavailable(error);
    }
  }
}

type ImageCover = { readonly width: number; readonly height: number } | null;
