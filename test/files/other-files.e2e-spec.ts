import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { Json } from '../support/client.js';
import type { Fixture, Person } from '../support/fixture.js';
import { FileService, onBothDrivers } from './file-service.js';
import { picture } from './images.js';
import { WITH_REPORTS } from '../kinds/report.js';

/* The import as a general mechanism: a kind of its own that holds any file, in report.ts. */

const PDF = Buffer.from(
  '%PDF-1.7\n1 0 obj\n<</Linearized 1 /L 0000000150 /N 7 /O 9 /E 5 /T 5 /H [1 2]>>\nendobj\n'.padEnd(
    150,
    ' ',
  ),
);
const TEXT = Buffer.from('Grüße, 日本\r\n'.repeat(50));

onBothDrivers('any relation to a file', (driver) => {
  let files: FileService;
  let people: Fixture;

  beforeAll(async () => {
    files = await FileService.start(driver, {}, WITH_REPORTS);
  });
  afterAll(() => files.stop());
  beforeEach(async () => {
    people = await files.reset();
  });

  async function tried(who: Person, filename: string, contentType: string, bytes: Uint8Array) {
    const report = String(((await who.call.post('/dummyreports', {})).body.props as Json).id);
    const upload = await files.upload(who, filename, contentType, bytes);
    const { status, body } = await who.call.put(`/dummyreports/${report}/import-file?includeRelated=file`, {
      objectFileId: upload.id,
    });
    const related = (body.related as Record<string, { props: Json }> | undefined)?.file?.props;
    return { status, upload, related };
  }

  it('takes files that are what they say, as they are', async () => {
    const { owner } = people;
    const zip = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      Buffer.alloc(60),
      Buffer.from('PK\x05\x06\0\0\0\0\x03\0\x03\0', 'latin1'),
      Buffer.alloc(10),
    ]);
    const good: [string, string, Buffer, object | null, string][] = [
      ['a.pdf', 'application/pdf', PDF, { pages: 7 }, 'application/pdf'],
      ['a.zip', 'application/zip', zip, { entries: 3 }, 'application/zip'],
      ['a.txt', 'text/plain', TEXT, {}, 'text/plain; charset=utf-8'],
      // Words that begin like a bitmap and a program.
      ['bmi.txt', 'text/plain', Buffer.from('BMI,age\n21,30\n'), {}, 'text/plain; charset=utf-8'],
      ['mz.txt', 'text/plain', Buffer.from('MZ is a prefix'), {}, 'text/plain; charset=utf-8'],
      ['a.html', 'text/html', Buffer.from('<script>alert(1)</script>'), {}, 'text/plain; charset=utf-8'],
      [
        'a.svg',
        'image/svg+xml',
        Buffer.from('<?xml version="1.0"?><svg onload="x"/>'),
        {},
        'text/plain; charset=utf-8',
      ],
    ];
    for (const [name, type, bytes, metadata, servedAs] of good) {
      const { status, upload, related } = await tried(owner, name, type, bytes);
      expect([name, status, related?.status, related?.metadata]).toEqual([name, 200, 'ready', metadata]);
      const served = await files.served(owner, upload);
      expect([served.status, served.headers.get('content-type')]).toEqual([200, servedAs]);
      expect(served.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
      expect(served.headers.get('x-content-type-options')).toBe('nosniff');
      expect(served.bytes).toEqual(bytes);
      expect((await files.served(owner, upload, 'thumbnail')).status).toBe(404);
    }
    await files.expectNoOrphans();
  });

  it('a storage that breaks in the middle of a download cuts the answer', async () => {
    const { owner } = people;
    const bytes = Buffer.alloc(24 * 1024 * 1024, 'text ');
    const { upload } = await tried(owner, 'a.txt', 'text/plain', bytes);
    const { body } = await owner.call.get(`/objectfiles/${upload.id}?includeExtra=downloadUrl`);
    const { downloadUrl } = body.extras as { downloadUrl: string };
    // A connection that stays would make a clean end of what is missing.
    const agent = new Agent({ keepAlive: true });
    const sending = request(downloadUrl, { agent }).end();
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(bytes.length)]);
    await once(answer, 'readable'); // and then nothing is taken until it is broken
    // What is asked next must find the connection cut: its answer would be taken for the bytes that are missing.
    answer.socket.write('GET /users HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    const [key = ''] = await files.objects('final');
    if (driver === 'S3') await files.cut();
    else
      await truncate(join(files.dataDir, 'files', 'objects', 'final', key.slice(6, 8), key.slice(8)), 1000);
    try {
      const received: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => received.push(chunk));
      const outcome = await new Promise((resolve) => {
        answer.on('end', () => resolve('ended'));
        answer.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      expect([outcome, answer.complete]).toEqual(['ECONNRESET', false]);
      const content = Buffer.concat(received);
      expect(content.length).toBeLessThan(bytes.length);
      expect(content.includes('HTTP/1.1')).toBe(false);
    } finally {
      agent.destroy();
      if (driver === 'S3') await files.fix();
    }
    expect((await people.anon.get('/users?itemsPerPage=1')).status).toBe(200);
  });

  it('refuses files that are something else', async () => {
    const png = await picture('png', 20, 20);
    const bad: [string, string, Buffer][] = [
      ['a.pdf', 'application/pdf', TEXT],
      ['a.txt', 'text/plain', png],
      ['a.txt', 'text/plain', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1')],
      ['a.txt', 'text/plain', Buffer.from('a\0b')],
      ['a.json', 'application/json', Buffer.from([0xff, 0xfe, 0xfd])],
      ['a.zip', 'application/zip', PDF],
    ];
    for (const [name, type, bytes] of bad) {
      const { status, upload } = await tried(people.owner, name, type, bytes);
      expect([name, status, await files.statusOf(people.owner, upload)]).toEqual([name, 415, 'verifyFailed']);
    }
    await files.tidy();
    expect(await files.storage.keys()).toEqual([]);
  });

  it('keeps pictures as large as they are, with a thumbnail', async () => {
    const { status, upload, related } = await tried(
      people.owner,
      'a.jpg',
      'image/jpeg',
      await picture('jpeg', 800, 600),
    );
    expect([status, related?.metadata]).toEqual([200, { width: 800, height: 600, format: 'jpeg' }]);
    const thumbnail = await files.served(people.owner, upload, 'thumbnail');
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 300, height: 225 });
    expect((await people.owner.call.put(`/users/${people.owner.id}`, { avatarId: upload.id })).status).toBe(
      200,
    );
    const image = await files.fetched(`/api/v1/users/${people.owner.id}/avatar-image`);
    expect(await sharp(image.bytes).metadata()).toMatchObject({ width: 300, height: 225 });
    // A report still names it, so it outlives the avatar.
    expect((await people.owner.call.put(`/users/${people.owner.id}`, { avatarId: null })).status).toBe(200);
    expect(await files.statusOf(people.owner, upload)).toBe('ready');
  });
});
