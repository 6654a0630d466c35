import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect } from '@jest/globals';
import { FileCleaner } from '../../src/files/file-cleaner.js';
import { Ids } from '../../src/record/ids/ids.js';
import { FileStorage } from '../../src/storage/file-storage.js';
import type { Answer, Json } from '../support/client.js';
import { type Fixture, type Person, resetFixture } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { HAS_S3, s3Endpoint, s3Settings } from '../support/s3.js';
import { startTestService, type TestService, type TestServiceOptions } from '../support/service.js';

/** Where the bytes of files are. */
export type Driver = 'embedded' | 'S3';

/** Runs a suite for each storage driver; the one for S3 is skipped, and says so, where there is no server for it. */
export function onBothDrivers(what: string, suite: (driver: Driver) => void): void {
  describe(`${what}, embedded storage`, () => suite('embedded'));
  if (HAS_S3) describe(`${what}, S3 storage`, () => suite('S3'));
  else describe.skip(`${what}, S3 storage (skipped: radosgw is not installed)`, () => suite('S3'));
}

/** A file record that was just created, with what its creator alone was told. */
export interface Upload {
  readonly id: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** A service with one of the storages, and the steps of an upload. */
export class FileService {
  private constructor(
    readonly service: TestService,
    readonly storage: FileStorage,
    private readonly cleaner: FileCleaner,
    readonly dataDir: string,
    private readonly gate: Gate | null,
  ) {}

  static async start(
    driver: Driver,
    env: Record<string, string> = {},
    options: TestServiceOptions = {},
  ): Promise<FileService> {
    const dataDir = await mkdtemp(join(tmpdir(), 'kindred-files-'));
    const gate = driver === 'S3' ? await Gate.to(await s3Endpoint()) : null;
    const settings = gate ? await s3Settings(gate.url) : {};
    const service = await startTestService({ ...options, env: { DATA_DIR: dataDir, ...settings, ...env } });
    return new FileService(
      service,
      service.app.get(FileStorage),
      service.app.get(FileCleaner),
      dataDir,
      gate,
    );
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.gate?.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The id outside of a file's row. */
  publicId(rowId: string): string {
    return this.service.app.get(Ids).encodeNamed('ObjectFile', [rowId])[0] ?? '';
  }

  /** Step one, as it must succeed. */
  async create(who: Person, filename: string, contentType: string, sizeInBytes: number): Promise<Upload> {
    const { status, body } = await who.call.post('/objectfiles', { filename, contentType, sizeInBytes });
    expect([status, body.error]).toEqual([201, undefined]);
    const { props, meta } = body as { props: Json; meta: Json };
    return {
      id: String(props.id),
      url: String(meta.presignedUrl),
      headers: meta.uploadHeaders as Record<string, string>,
    };
  }

  /** Step two; the status. */
  async put(upload: Upload, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<number> {
    const { 'content-length': _length, ...named } = upload.headers;
    const response = await fetch(upload.url, {
      method: 'PUT',
      body: bytes,
      headers: { ...named, ...headers },
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Steps one and two. */
  async upload(who: Person, filename: string, contentType: string, bytes: Uint8Array): Promise<Upload> {
    const upload = await this.create(who, filename, contentType, bytes.length);
    expect(await this.put(upload, bytes)).toBe(200);
    return upload;
  }

  /** Step three. */
  importAvatar(who: Person, upload: Upload, target = who): Promise<Answer> {
    return who.call.put(`/users/${target.id}/import-avatar`, { objectFileId: upload.id });
  }

  /** All three, as they must succeed. */
  async avatar(who: Person, filename: string, contentType: string, bytes: Uint8Array): Promise<Upload> {
    const upload = await this.upload(who, filename, contentType, bytes);
    expect((await this.importAvatar(who, upload)).status).toBe(200);
    return upload;
  }

  async statusOf(who: Person, upload: Upload): Promise<unknown> {
    const { status, body } = await who.call.get(`/objectfiles/${upload.id}`);
    return status === 200 ? (body.props as Json).status : status;
  }

  async avatarOf(who: Person): Promise<unknown> {
    return ((await who.call.get(`/users/${who.id}`)).body.props as Json).avatarId;
  }

  /** What is served for a file: its own bytes or its thumbnail. */
  async served(who: Person, upload: Upload, link: 'file' | 'thumbnail' = 'file', headers = {}) {
    const { body } = await who.call.get(`/objectfiles/${upload.id}?includeLinks=true`);
    const { href } = (body.links as Record<string, { href: string }>)[link] ?? { href: '/none' };
    return this.fetched(href, headers);
  }

  async fetched(href: string, headers: Record<string, string> = {}) {
    const response = await fetch(href.startsWith('/') ? this.service.url + href : href, { headers });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }

  /** Empties the storage and the tables, and makes the people anew. */
  async reset(): Promise<Fixture> {
    const people = await resetFixture(this.service);
    for (const key of await this.storage.keys()) await this.storage.remove(key);
    return people;
  }

  /** What the housekeeping job does, and all removals that are due, or waits for whoever does. */
  async tidy(): Promise<void> {
    while ((await this.cleaner.deleteAbandoned()) > 0);
    for (;;) {
      await this.cleaner.cycle();
      const due = await this.service.sql('SELECT 1 FROM storage_removals WHERE "dueAt" <= now() LIMIT 1');
      if (!due.length) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Objects in the storage, by area. */
  async objects(area: 'staging' | 'final'): Promise<string[]> {
    return (await this.storage.keys()).filter((key) => key.startsWith(area));
  }

  /** The objects that the rows speak of and those in the storage are the same, once everything due is removed. */
  async expectNoOrphans(): Promise<void> {
    await this.tidy();
    const rows = await this.service.sql<{ key: string }>(
      'SELECT DISTINCT unnest(ARRAY["fileKey", "thumbnailKey"]) AS key FROM objectfiles',
    );
    const known = rows.map(({ key }) => key).filter((key) => key !== null);
    expect((await this.objects('final')).sort()).toEqual(known.sort());
  }

  async bytesOf(key: string): Promise<Buffer> {
    const stream = await this.storage.read(key);
    if (!stream) throw new Error('There is no such object.');
    return buffer(stream);
  }

  /** The storage can't be reached. */
  async cut(): Promise<void> {
    if (this.gate) return this.gate.cut();
    await rename(join(this.dataDir, 'files', 'objects'), join(this.dataDir, 'files', 'away'));
  }

  async fix(): Promise<void> {
    if (this.gate) return this.gate.fix();
    const objects = join(this.dataDir, 'files', 'objects');
    await rm(objects, { recursive: true, force: true });
    await rename(join(this.dataDir, 'files', 'away'), objects);
  }
}
