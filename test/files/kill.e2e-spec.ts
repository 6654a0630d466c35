import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { EmbeddedStorage } from '../../src/storage/embedded-storage.js';
import type { FileStorage } from '../../src/storage/file-storage.js';
import { S3Storage } from '../../src/storage/s3-storage.js';
import { PathSigner } from '../../src/storage/signed-path.js';
import { Caller, type Json } from '../support/client.js';
import { createDatabase, sql } from '../support/database.js';
import { Gate } from '../support/gate.js';
import { HAS_S3, s3Endpoint, s3Settings } from '../support/s3.js';
import type { Driver } from './file-service.js';
import { picture } from './images.js';

/*
 * The service as a process that is killed between the steps. A lock on the user's row holds an import where everything is
 * stored and nothing is written down yet.
 */

// Each starts the service anew.
jest.setTimeout(90_000);

const SECRET = 'a secret for tests alone, 32 characters';
const PASSWORD = 'correct horse battery';

function suite(driver: Driver): void {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let dataDir: string;
  let gate: Gate | null = null;
  let env: Record<string, string>;
  let storage: FileStorage;
  let child: ChildProcess;
  let admin: Caller;
  let userId: string;
  let png: Buffer;

  beforeAll(async () => {
    png = await picture('png');
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
    await start();
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
  }, 150_000);
  afterAll(async () => {
    await kill();
    await gate?.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await sql(database.url, 'UPDATE users SET "avatarId" = NULL');
    await sql(database.url, 'DELETE FROM objectfiles');
    await passed();
    await until(async () => (await storage.keys()).length === 0);
  });

  async function start(): Promise<void> {
    child = spawn(process.execPath, ['dist/src/main.js'], {
      env: { PATH: process.env.PATH, PORT: '0', LOGIN_RATE_PER_NAME: '0', LOG_LEVEL: 'silent', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let url = '';
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      url = /listens on (\S+)/.exec(line)?.[1] ?? '';
      if (url) break;
    }
    child.stderr?.resume();
    const { body } = await new Caller(url).post('/sessions', { login: 'admin', password: PASSWORD });
    admin = new Caller(url, String((body.props as Json).id));
    userId = String(((await admin.get('/users/whoami')).body.props as Json).id);
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async function upload(bytes: Uint8Array): Promise<string> {
    const file = { filename: 'a.png', contentType: 'image/png', sizeInBytes: bytes.length };
    const { body } = await admin.post('/objectfiles', file);
    const url = String((body.meta as Json).presignedUrl);
    const put = await fetch(url, { method: 'PUT', body: bytes, headers: { 'content-type': 'image/png' } });
    expect(put.status).toBe(200);
    return String((body.props as Json).id);
  }

  const importing = (id: string) => admin.put(`/users/${userId}/import-avatar`, { objectFileId: id });
  const finals = async () => (await storage.keys()).filter((key) => key.startsWith('final/'));

  /** The claims and the pauses before removals are over, as after some minutes. */
  async function passed(): Promise<void> {
    await sql(database.url, 'UPDATE objectfiles SET "claimedUntil" = now() WHERE "claimedUntil" IS NOT NULL');
    await sql(database.url, 'UPDATE storage_removals SET "dueAt" = now()');
  }

  /** After the restart the objects in the storage are those of the rows. */
  async function expectAgreement(): Promise<void> {
    const text = `SELECT unnest(ARRAY["stagingKey", "fileKey", "thumbnailKey"]) AS key FROM objectfiles`;
    const rows = await sql<{ key: string | null }>(database.url, text);
    const known = rows.flatMap(({ key }) => (key === null ? [] : [key])).sort();
    await passed();
    await until(async () => (await storage.keys()).sort().join() === known.join());
  }

  async function cut(): Promise<void> {
    if (gate) return gate.cut();
    await rename(join(dataDir, 'files', 'objects'), join(dataDir, 'files', 'away'));
  }

  async function mend(): Promise<void> {
    if (gate) return gate.mend();
    await rename(join(dataDir, 'files', 'away'), join(dataDir, 'files', 'objects'));
  }

  /** An import that stands just before its transaction, with everything stored. */
  async function held(id: string): Promise<{ answer: Promise<unknown>; let: () => Promise<void> }> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM users FOR UPDATE');
    const answer = importing(id).catch(() => 'killed');
    await until(async () => (await finals()).length === 2);
    return { answer, let: () => client.end() };
  }

  it('while the picture is being decoded', async () => {
    const id = await upload(await picture('png', 4000, 3000));
    const answer = importing(id).catch(() => 'killed');
    await until(
      async () => (await sql(database.url, 'SELECT 1 FROM objectfiles WHERE claim IS NOT NULL')).length === 1,
    );
    await kill();
    expect(await answer).toBe('killed');
    await start();
    expect((await importing(id)).status).toBe(409); // the claim still holds
    await expectAgreement();
    expect((await importing(id)).status).toBe(200);
    await expectAgreement();
  });

  it('when everything is stored and nothing is written down', async () => {
    const id = await upload(png);
    const { answer, let: release } = await held(id);
    await kill();
    await release();
    expect(await answer).toBe('killed');
    await start();
    expect((await admin.get(`/objectfiles/${id}`)).body.props).toMatchObject({ status: 'pending' });
    await expectAgreement();
    expect(await finals()).toEqual([]);
    expect((await importing(id)).status).toBe(200);
    await expectAgreement();
    expect(await finals()).toHaveLength(2);
  });

  it('when the import is written down and the upload is not removed yet', async () => {
    const id = await upload(png);
    const { answer, let: release } = await held(id);
    await cut();
    await release();
    expect(await answer).toMatchObject({ status: 200 });
    await kill();
    await mend();
    expect(await storage.keys()).toHaveLength(3);
    await start();
    await expectAgreement();
    expect(await storage.keys()).toHaveLength(2);
  });

  it('when records are deleted and their bytes are not', async () => {
    const id = await upload(png);
    expect((await importing(id)).status).toBe(200);
    await cut();
    expect((await admin.delete(`/objectfiles/${id}`)).status).toBe(200);
    await kill();
    await mend();
    expect(await storage.keys()).not.toEqual([]);
    await start();
    await expectAgreement();
    expect(await storage.keys()).toEqual([]);
  });

  if (driver === 'embedded') {
    it('in the middle of an upload', async () => {
      const { body } = await admin.post('/objectfiles', {
        filename: 'a.png',
        contentType: 'image/png',
        sizeInBytes: 900_000,
      });
      const headers = { 'content-type': 'image/png', 'content-length': '900000' };
      const sending = request(String((body.meta as Json).presignedUrl), { method: 'PUT', headers });
      sending.on('error', () => undefined);
      sending.write(Buffer.alloc(300_000));
      await sleep(300);
      await kill();
      await start();
      expect(await storage.keys()).toEqual([]);
      expect((await importing(String((body.props as Json).id))).status).toBe(409);
    });
  }
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
