import type { ByteRange } from '../http/byte-range.js';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { codeOf } from '../common/error-code.js';
import { StartupError } from '../common/startup-error.js';
import { ApiError, storageFull, storageUnavailable } from '../common/errors.js';
import { type Area, FileStorage, isKey, type UploadGrant, type UploadTerms } from './file-storage.js';
import type { PublicUrl } from './public-url.js';
import type { PathSigner } from './signed-path.js';
import { sweepFolder } from './sweep-folder.js';

/** Path of upload URLs; the key follows. */
export const UPLOAD_PATH = '/files/upload/';
/** A fragment without writes for this time (milliseconds) belongs to a dead process. */
const FRAGMENT_LIFE_MS = 3_600_000;

/**
 * Stores objects as files in a folder: `objects/<area>/<two characters>/<rest>`. A file appears there completely or not at
 * all: it is written under `fragments/`, flushed to the disk, and renamed.
 */
export class EmbeddedStorage extends FileStorage {
  private readonly objects: string;
  private readonly fragments: string;

  /** @param minFreeBytes the space that must stay free on the disk, which the database often shares */
  constructor(
    folder: string,
    private readonly signer: PathSigner,
    private readonly publicUrl: Pick<PublicUrl, 'of'>,
    private readonly minFreeBytes = 0,
  ) {
    super();
    this.objects = join(folder, 'objects');
    this.fragments = join(folder, 'fragments');
  }

  async prepare(): Promise<void> {
    try {
      for (const area of ['staging', 'final'] satisfies Area[]) {
        await mkdir(join(this.objects, area), { recursive: true, mode: 0o700 });
      }
      await mkdir(this.fragments, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new StartupError(
        `The folder for files (${JSON.stringify(this.objects)}) can’t be made (${codeOf(cause)}): make DATA_DIR writable.`,
        { cause },
      );
    }
  }

  grantUpload(key: string, { contentType, size, expiresAt }: UploadTerms): Promise<UploadGrant> {
    const terms = { type: contentType, size: String(size) };
    const path = this.signer.sign('PUT', UPLOAD_PATH + key, terms, expiresAt);
    return Promise.resolve({
      url: this.publicUrl.of(path),
      headers: { 'content-type': contentType, 'content-length': String(size) },
    });
  }

  async checkRoom(bytes: number): Promise<void> {
    // A disk that fails here also fails later, with a clearer error.
    const disk = await statfs(this.objects).catch(() => null);
    if (disk && disk.bavail * disk.bsize - bytes < this.minFreeBytes) throw storageFull();
  }

  size(key: string): Promise<number | null> {
    return this.orNull(async () => (await stat(this.fileOf(key))).size);
  }

  read(key: string, range?: ByteRange): Promise<Readable | null> {
    return this.orNull(async () => {
      // Opened here, so that a missing file is known before the stream begins.
      const handle = await open(this.fileOf(key), 'r');
      return createReadStream('', { ...range, fd: handle });
    });
  }

  async store(key: string, file: string): Promise<void> {
    await guarded(async () => this.checkRoom((await stat(file)).size));
    await this.write(key, (fragment) => copyFile(file, fragment));
  }

  async copy(from: string, to: string): Promise<boolean> {
    // Files are never written in place, so a second name for one is a copy.
    const target = this.fileOf(to);
    const linked = await this.orNull(async () => {
      await stat(this.fileOf(from));
      await makeFolder(dirname(target));
      await link(this.fileOf(from), target);
      await syncFolder(dirname(target));
      return true;
    });
    return linked ?? false;
  }

  async remove(key: string): Promise<void> {
    await this.orNull(() => unlink(this.fileOf(key)));
  }

  async keys(): Promise<string[]> {
    const entries = await readdir(this.objects, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.objects.length + 1))
      .map((path) => path.split(sep))
      .map(([area = '', head = '', rest = '']) => `${area}/${head}${rest}`);
  }

  /**
   * Stores what `fill` writes into a new file.
   * @param fill gets the path of a file that does not exist yet
   */
  async write(key: string, fill: (fragment: string) => Promise<void>): Promise<void> {
    const fragment = join(this.fragments, randomBytes(12).toString('hex'));
    const target = this.fileOf(key);
    try {
      await guarded(async () => {
        await fill(fragment);
        await syncFile(fragment);
        await makeFolder(dirname(target));
        await rename(fragment, target);
        await syncFolder(dirname(target));
      });
    } finally {
      // What can't be removed now is swept later. The error of the work matters more.
      await rm(fragment, { force: true }).catch(() => undefined);
    }
  }

  /** Removes only old fragments, because several instances may share the folder. */
  async sweep(): Promise<void> {
    await sweepFolder(this.fragments, FRAGMENT_LIFE_MS);
  }

  /** Returns null for a missing file, but fails if the whole folder is missing, as when the disk is not mounted. */
  private async orNull<T>(work: () => Promise<T>): Promise<T | null> {
    return guarded(async () => {
      try {
        return await work();
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        await stat(this.objects);
        return null;
      }
    });
  }

  private fileOf(key: string): string {
    if (!isKey(key)) throw new Error('This is no object key.');
    const [area = '', name = ''] = key.split('/');
    return join(this.objects, area, name.slice(0, 2), name.slice(2));
  }
}

/** Maps disk errors to an unavailable storage, except those of a full disk. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskFault(error);
  }
}

/** The API error for a disk error; other errors unchanged. */
export function diskFault(error: unknown): unknown {
  const code = error instanceof ApiError ? '' : codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return storageFull(error);
  return code ? storageUnavailable(error) : error;
}

/** Creates one folder, but not its parents: if they are missing, the disk is not mounted, and nothing may be written. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a rename in the folder durable. Systems that can't open folders do that by themselves. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  try {
    await handle?.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(codeOf(error))) throw error;
  } finally {
    await handle?.close();
  }
}
