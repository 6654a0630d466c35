import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { EmbeddedStorage } from '../../src/storage/embedded-storage.js';
import type { FileStorage } from '../../src/storage/file-storage.js';
import { S3Storage } from '../../src/storage/s3-storage.js';
import { PathSigner } from '../../src/storage/signed-path.js';
import { Caller, type Json } from '../support/client.js';
import { createDatabase, sql } from '../support/database.js';
import { Gate } from '../support/gate.js';
import { listening } from '../support/listening.js';
import { HAS_S3, s3Endpoint, s3Settings } from '../support/s3.js';
import type { Driver } from './file-service.js';
import { picture } from './images.js';

/*
 * Two instances of the service, which share a process, are killed at the same moment, with something unfinished of every
 * sort; then one is started, and has to make the best of it.
 */

const SECRET = 'a secret for tests alone, 32 characters';
const PASSWORD = 'correct horse battery';

/** Takes a while to be decoded. */
const large = picture('png', 3000, 2000);

/** What was unfinished: public ids of the files. */
interface Unfinished {
  /** Its picture was being decoded. */
  readonly decoding: string;
  /** Everything of the import was stored, and nothing written down. */
  readonly stored: string;
  /** The import was written down, and the upload not removed yet. */
  readonly imported: string;
  /** The avatar that it replaced: deleted, but for its bytes. */
  readonly replaced: string;
  /** Deleted while pending, but for its bytes. */
  readonly deleted: string;
  /** Half of it was uploaded; with S3, which takes uploads by itself, none of it. */
  readonly uploading: string;
}

function suite(driver: Driver): void {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dataDir: string;
  let gate: Gate | null = null;
  let env: Record<string, string>;
  let storage: FileStorage;
  const running: ChildProcess[] = [];
  let admin: Caller;
  let userId: string;
  let files: Unfinished;

  beforeAll(async () => {
    database = await createDatabase('plain');
    dataDir = await mkdtemp(join(tmpdir(), 'kindred-kill-'));
    gate = driver === 'S3' ? await Gate.to(await s3Endpoint()) : null;
    const s3 = gate ? await s3Settings(gate.url) : {};
    env = {
      ...s3,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      APP_SECRET: SECRET,
      ADMIN_PASSWORD: PASSWORD,
    };
    const [first = '', second = ''] = await start(2);
    storage = gate
      ? new S3Storage({
          s3Endpoint: await s3Endpoint(),
          s3PublicEndpoint: '',
          s3Region: 'us-east-1',
          s3Bucket: env.S3_BUCKET ?? '',
          s3AccessKey: 'testkey',
          s3SecretKey: 'testsecret',
        })
      : new EmbeddedStorage(join(dataDir, 'files'), new PathSigner(SECRET), { of: (path) => path });
    admin = await login(first);
    userId = String(((await admin.get('/users/whoami')).body.props as Json).id);
    files = await leaveUnfinished(new Caller(second, admin.cookie));
    admin = new Caller((await start(1))[0] ?? '', admin.cookie);
  });
  afterAll(async () => {
    await killAll();
    await gate?.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Where that many new instances listen. */
  function start(count: number): Promise<string[]> {
    const child = spawn(process.execPath, ['test/support/instances.mjs', String(count)], {
      env: { PATH: process.env.PATH, PORT: '0', LOGIN_RATE_PER_NAME: '0', LOG_LEVEL: 'silent', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    return listening(child, count);
  }

  async function login(url: string): Promise<Caller> {
    const { body } = await new Caller(url).post('/sessions', { login: 'admin', password: PASSWORD });
    return new Caller(url, String((body.props as Json).id));
  }

  async function killAll(): Promise<void> {
    const ends = running.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await Promise.all(ends);
  }

  async function leaveUnfinished(other: Caller): Promise<Unfinished> {
    const png = await picture('png');
    const replaced = await upload(png);
    expect((await importing(replaced)).status).toBe(200);
    const deleted = await upload(png);
    const imported = await upload(png);
    const hold = await held(other, imported, 4);
    await cut();
    await hold.let();
    expect(await hold.answer).toMatchObject({ status: 200 });
    expect((await admin.delete(`/objectfiles/${deleted}`)).status).toBe(200);
    await until(async () => (await rows('storage_removals WHERE tries > 0')) > 0);
    // Not before the end.
    await sql(database.url, `UPDATE storage_removals SET "dueAt" = now() + interval '1 hour'`);
    await fix();
    // The uploads of `deleted` and `imported`; pictures and thumbnails of `imported` and `replaced`.
    expect(await storage.keys()).toHaveLength(6);

    const stored = await upload(png);
    const decoding = await upload(await large);
    const uploading = await beginUpload();
    const second = await held(other, stored, 6);
    const first = importing(decoding).catch(() => 'killed');
    await until(async () => (await rows('objectfiles WHERE claim IS NOT NULL')) === 2);
    await killAll();
    await second.let();
    expect([await first, await second.answer]).toEqual(['killed', 'killed']);
    return { decoding, stored, imported, replaced, deleted, uploading };
  }

  async function create(sizeInBytes: number): Promise<{ id: string; url: string }> {
    const file = { filename: 'a.png', contentType: 'image/png', sizeInBytes };
    const { body } = await admin.post('/objectfiles', file);
    return { id: String((body.props as Json).id), url: String((body.meta as Json).presignedUrl) };
  }

  async function upload(bytes: Uint8Array): Promise<string> {
    const { id, url } = await create(bytes.length);
    const put = await fetch(url, { method: 'PUT', body: bytes, headers: { 'content-type': 'image/png' } });
    expect(put.status).toBe(200);
    return id;
  }

  async function beginUpload(): Promise<string> {
    const { id, url } = await create(900_000);
    if (driver === 'S3') return id;
    const headers = { 'content-type': 'image/png', 'content-length': '900000' };
    const sending = request(url, { method: 'PUT', headers });
    sending.on('error', () => undefined);
    sending.write(Buffer.alloc(300_000));
    await until(async () => (await readdir(join(dataDir, 'files', 'fragments'))).length === 1);
    return id;
  }

  const importing = (id: string, by = admin) =>
    by.put(`/users/${userId}/import-avatar`, { objectFileId: id });
  const finals = async () => (await storage.keys()).filter((key) => key.startsWith('final/'));
  const rows = async (from: string) => (await sql(database.url, `SELECT 1 FROM ${from}`)).length;

  /** An import that stands just before its transaction, with everything stored: a lock on the user's row holds it. */
  async function held(by: Caller, id: string, objects: number) {
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM users FOR UPDATE');
    const answer = importing(id, by).catch(() => 'killed');
    await until(async () => (await finals()).length === objects);
    return { answer, let: () => client.end() };
  }

  async function cut(): Promise<void> {
    if (gate) return gate.cut();
    await rename(join(dataDir, 'files', 'objects'), join(dataDir, 'files', 'away'));
  }

  async function fix(): Promise<void> {
    if (gate) return gate.fix();
    await rename(join(dataDir, 'files', 'away'), join(dataDir, 'files', 'objects'));
  }

  /**
   * Once the claims and the pauses before removals are over, as after some minutes, the objects in the storage are those
   * that the rows name.
   */
  async function expectAgreement(count: number): Promise<void> {
    await sql(database.url, 'UPDATE objectfiles SET "claimedUntil" = now() WHERE "claimedUntil" IS NOT NULL');
    await sql(database.url, 'UPDATE storage_removals SET "dueAt" = now()');
    // A deletion starts a round at once.
    await admin.delete(`/objectfiles/${(await create(1)).id}`);
    const text = `SELECT unnest(ARRAY["stagingKey", "fileKey", "thumbnailKey"]) AS key FROM objectfiles`;
    const named = await sql<{ key: string | null }>(database.url, text);
    const known = named.flatMap(({ key }) => (key === null ? [] : [key]));
    // A row that waits for its upload has a key without an object.
    await until(async () => {
      const keys = await storage.keys();
      return keys.length === count && keys.every((key) => known.includes(key));
    });
  }

  const statusOf = async (id: string): Promise<unknown> => {
    const { status, body } = await admin.get(`/objectfiles/${id}`);
    return status === 200 ? (body.props as Json).status : status;
  };

  it('each file is what was last written down of it', async () => {
    const { replaced, deleted, imported, ...pending } = files;
    expect([await statusOf(replaced), await statusOf(deleted)]).toEqual([404, 404]);
    expect(await statusOf(imported)).toBe('ready');
    expect(((await admin.get('/users/whoami')).body.props as Json).avatarId).toBe(imported);
    for (const id of Object.values(pending)) expect(await statusOf(id)).toBe('pending');
  });

  it('the claims of the dead hold for a while', async () => {
    for (const id of [files.decoding, files.stored]) expect((await importing(id)).status).toBe(409);
  });

  it('what no row names is removed, and nothing else', async () => {
    // Two uploads, and the avatar with its thumbnail.
    await expectAgreement(4);
    const { href } = ((await admin.get(`/users/${userId}?includeLinks=true`)).body.links as Json)
      .avatarImage as { href: string };
    expect((await fetch(admin.base + href)).headers.get('content-type')).toBe('image/png');
  });

  it('what was begun can be done again', async () => {
    expect((await importing(files.uploading)).status).toBe(409);
    for (const id of [files.decoding, files.stored]) expect((await importing(id)).status).toBe(200);
    expect(await statusOf(files.decoding)).toBe(404);
    await expectAgreement(2);
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 25_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('It did not come to be.');
    await sleep(30);
  }
}

describe('killed, embedded storage', () => suite('embedded'));
if (HAS_S3) describe('killed, S3 storage', () => suite('S3'));
else describe.skip('killed, S3 storage (skipped: radosgw is not installed)', () => suite('S3'));
