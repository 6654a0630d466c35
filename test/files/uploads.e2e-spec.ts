import { once } from 'node:events';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { FileCleaner } from '../../src/files/file-cleaner.js';
import type { Fixture } from '../support/fixture.js';
import { FileService, type Upload } from './file-service.js';

/* Uploads to the embedded storage, piece by piece: slow, broken, repeated and unwanted ones. */

const SIZE = 400_000;
const REQUEST_MS = 400;
const WINDOW_MS = 800;

let files: FileService;
let people: Fixture;
let upload: Upload;

beforeAll(async () => {
  const limits = {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    checkInterval: 50,
    uploadWindow: WINDOW_MS,
    uploadBytes: 1000,
  };
  files = await FileService.start('embedded', {}, { limits });
});
afterAll(() => files.stop());
beforeEach(async () => {
  people = await files.reset();
  upload = await files.create(people.owner, 'a.png', 'image/png', SIZE);
});

/** A request whose body the test writes. */
class Sending {
  private readonly request: ClientRequest;
  readonly outcome: Promise<{ status: number; body: string } | 'cut'>;

  constructor(url: string, headers: Record<string, string>) {
    this.request = request(url, { method: 'PUT', headers, agent: false });
    this.outcome = new Promise((resolve) => {
      this.request.on('response', (response: IncomingMessage) => {
        void text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }));
      });
      this.request.on('error', () => resolve('cut'));
    });
  }

  async write(bytes: number, filler = 'x'): Promise<void> {
    if (!this.request.write(Buffer.alloc(bytes, filler))) {
      await Promise.race([once(this.request, 'drain'), this.outcome]);
    }
  }

  end(): void {
    this.request.end();
  }
}

const send = (to: Upload = upload) => new Sending(to.url, to.headers);
const fragments = () => readdir(join(files.dataDir, 'files', 'fragments'));
/** Until the service has written some of a body. */
async function begun(count = 1): Promise<void> {
  while ((await fragments()).length !== count) await sleep(5);
}

async function expectNothingLeft(): Promise<void> {
  while ((await fragments()).length) await sleep(5);
  expect(await files.storage.keys()).toEqual([]);
}

it('may take longer than other requests, as long as they go on', async () => {
  const sending = send();
  const parts = 8;
  const begin = Date.now();
  for (let i = 0; i < parts; i++) {
    await sending.write(SIZE / parts);
    await sleep(150);
  }
  sending.end();
  expect(await sending.outcome).toEqual({ status: 200, body: '' });
  expect(Date.now() - begin).toBeGreaterThan(2 * REQUEST_MS);
  expect(await files.objects('staging')).toHaveLength(1);
  // Another route's body has no more time than it had.
  const headers = {
    'content-type': 'application/json',
    'content-length': '100000',
    cookie: `appSessionId=${people.owner.sessionId}`,
  };
  const other = new Sending(`${files.service.url}/api/v1/users/${people.owner.id}`, headers);
  let isCut = false;
  void other.outcome.then(() => (isCut = true));
  while (!isCut) {
    await other.write(5000);
    await sleep(100);
  }
  expect(await other.outcome).toBe('cut');
});

it('are cut off when they stop, and leave nothing', async () => {
  const sending = send();
  await sending.write(SIZE / 2);
  expect(await sending.outcome).toBe('cut');
  await expectNothingLeft();
  // The URL still takes the whole.
  expect(await files.put(upload, Buffer.alloc(SIZE))).toBe(200);
});

it('to one key: the later one takes the place of the earlier', async () => {
  const first = send();
  await first.write(SIZE / 2, '1');
  await begun();
  expect(await files.put(upload, Buffer.alloc(SIZE, '2'))).toBe(200);
  expect(await first.outcome).toBe('cut');
  const [key = ''] = await files.storage.keys();
  expect((await files.bytesOf(key)).equals(Buffer.alloc(SIZE, '2'))).toBe(true);
  expect(await fragments()).toEqual([]);
});

it('are refused once nobody waits for them, also in the middle', async () => {
  const sending = send();
  await sending.write(SIZE / 2);
  await begun();
  expect((await people.owner.call.delete(`/objectfiles/${upload.id}`)).status).toBe(200);
  await sending.write(SIZE / 2);
  sending.end();
  expect(await sending.outcome).toMatchObject({ status: 403, body: expect.stringContaining('"code":403') });
  await expectNothingLeft();
  expect(await files.put(upload, Buffer.alloc(SIZE))).toBe(403);
  await expectNothingLeft();
});

it('hear that the disk can’t take them, while they are still sending', async () => {
  const folder = join(files.dataDir, 'files', 'fragments');
  await rename(folder, `${folder}-away`);
  await writeFile(folder, '');
  try {
    const sending = send();
    await sending.write(SIZE / 2);
    expect(await sending.outcome).toMatchObject({ status: 503, body: expect.stringContaining('"code":503') });
  } finally {
    await rm(folder);
    await rename(`${folder}-away`, folder);
  }
  expect(await files.put(upload, Buffer.alloc(SIZE))).toBe(200);
});

it('that a process died over are swept, and those under way are not', async () => {
  const cleaner = files.service.app.get(FileCleaner);
  const old = new Date(Date.now() - 61 * 60_000);
  const folder = join(files.dataDir, 'files', 'fragments');
  await writeFile(join(folder, 'old'), 'x');
  await utimes(join(folder, 'old'), old, old);
  await mkdir(join(files.dataDir, 'import', 'fold'), { recursive: true });
  await writeFile(join(files.dataDir, 'import', 'fold', 'input'), 'x');
  await utimes(join(files.dataDir, 'import', 'fold'), old, old);
  const sending = send();
  await sending.write(SIZE / 2);
  await begun(2);
  await cleaner.sweepLeftovers();
  expect(await fragments()).toHaveLength(1);
  expect(await readdir(join(files.dataDir, 'import'))).toEqual([]);
  await sending.write(SIZE / 2);
  sending.end();
  expect(await sending.outcome).toMatchObject({ status: 200 });
});
