import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'content-disposition';
import type { Json } from '../support/client.js';
import type { Fixture } from '../support/fixture.js';
import { FILE_TYPES } from '../../src/files/file-types.js';
import { expectSameAnswer } from '../support/hidden-values.js';
import { FileService, onBothDrivers } from './file-service.js';
import { picture } from './images.js';
import { WITH_REPORTS } from '../kinds/report.js';

/* What a file says about itself, who sees that, and how files are downloaded. */

onBothDrivers('file records', (driver) => {
  let files: FileService;
  let people: Fixture;
  let png: Buffer;

  beforeAll(async () => {
    const env = { MAX_PENDING_FILES: '20', MAX_FILE_BYTES: '1000000' };
    files = await FileService.start(driver, env, WITH_REPORTS);
    png = await picture('png');
  });
  afterAll(() => files.stop());
  beforeEach(async () => {
    people = await files.reset();
  });

  const post = async (filename: unknown, contentType: unknown = 'image/png', sizeInBytes: unknown = 10) => {
    const { status, body } = await people.owner.call.post('/objectfiles', {
      filename,
      contentType,
      sizeInBytes,
    });
    const shown = status === 201 ? (body.props as Json) : (body.error as Json);
    return { status, shown, body };
  };

  it('a filename with parts of a path is refused', async () => {
    const paths = [
      '../../x.png',
      '..\\..\\x.png',
      '/etc/x.png',
      'C:\\x.png',
      'a/b/c.png',
      '....//x.png',
      '~/x.png',
    ];
    for (const name of paths) expect([name, (await post(name)).status]).toEqual([name, 422]);
    expect((await post('x.png/')).status).toBe(415);
    const { status, shown, body } = await post('%2e%2e%2fx.png');
    expect([status, shown.filename]).toEqual([201, '%2e%2e%2fx.png']);
    const { pathname } = new URL(String((body.meta as Json).presignedUrl));
    expect(pathname).toMatch(/\/staging\/[0-9A-Za-z]{43}$/);
  });

  it('a filename with invisible characters, quotes or reversed text is refused', async () => {
    const bad = [
      'a\r\nSet-Cookie: x=1.png',
      'a";filename="b.html.png',
      'a\u200b.png',
      '．．／x.png',
      ' a.png',
      'a\u2028.png',
    ];
    for (const name of bad) expect([name, (await post(name)).status]).toEqual([name, 422]);
    expect((await post('photo\u202egnp.exe')).status).toBe(415);
    expect((await post('photo\u202egpj.png')).status).toBe(422);
    for (const name of ['a\u0000.png', 'a.png\u0000.html', 'a\ud800.png'])
      expect((await post(name)).status).toBe(400);
  });

  it('a filename without an extension, or with that of a program or an unknown one, is refused', async () => {
    for (const name of [
      'a.exe',
      'a.sh',
      'a.bat',
      'a.msi',
      'a.jar',
      'a.png.exe',
      'png',
      '.png',
      'a.',
      'a.unknown',
    ]) {
      const { status, shown } = await post(name);
      expect([name, status, shown.data]).toEqual([name, 415, 'filename']);
    }
  });

  it('extension and content type belong together', async () => {
    expect((await post('a.png', 'text/html')).status).toBe(415);
    expect((await post('a.html', 'image/png')).status).toBe(415);
    expect((await post('a.svg', 'image/png')).status).toBe(415);
    const { status, shown } = await post('A.JPG', 'Image/JPEG');
    expect([status, shown.extension, shown.contentType]).toEqual([201, 'jpg', 'image/jpeg']);
  });

  it('content types are taken as browsers and phones send them', async () => {
    const sent: [string, string, string][] = [
      ['a.csv', 'application/vnd.ms-excel', 'text/csv'],
      ['a.jpg', 'image/jpg', 'image/jpeg'],
      ['a.jpeg', 'image/pjpeg', 'image/jpeg'],
      ['a.txt', 'text/plain;charset=utf-8', 'text/plain'],
      ['a.json', 'Application/JSON; Charset="utf-8"', 'application/json'],
      ['a.m4a', 'audio/m4a', 'audio/mp4'],
      ['a.ts', 'video/mp2t', 'text/typescript'],
      ['a.png', 'image/png; charset=x', 'image/png'],
      ['a.png', 'application/octet-stream', 'image/png'],
    ];
    for (const [name, declared, kept] of sent) {
      const { status, shown, body } = await post(name, declared);
      expect([name, declared, status, shown.contentType]).toEqual([name, declared, 201, kept]);
      // What was declared is what will be sent.
      expect((body.meta as { uploadHeaders: Json }).uploadHeaders['content-type']).toBe(declared);
    }
    for (const [name, declared] of [
      ['a.png', 'video/mp2t'],
      ['a.png', 'application/vnd.ms-excel'],
      ['a.txt', 'text/html;charset=utf-8'],
      ['a.png', 'image/png;\u00e9'],
      ['a.png', ';image/png'],
    ]) {
      const { status, shown } = await post(name, declared);
      expect([name, declared, status, shown.data]).toEqual([name, declared, 415, 'contentType']);
    }
    const declared = 'image/jpg; charset=binary';
    const bytes = await picture('jpeg', 20, 20);
    const upload = await files.avatar(people.owner, 'a.jpg', declared, bytes);
    expect((await files.served(people.owner, upload)).headers.get('content-type')).toBe('image/jpeg');
  });

  it('a content type that is refused hears each that is taken once', async () => {
    const messages = new Map<string, string>();
    for (const extension of FILE_TYPES.keys()) {
      const { status, body } = await post(`a.${extension}`, 'x-none/x-none');
      expect([extension, status]).toEqual([extension, 415]);
      // It comes second where no relation takes the extension either.
      const faults = [body.error, ...((body.warnings ?? []) as unknown[])] as Json[];
      messages.set(extension, String(faults.find(({ data }) => data === 'contentType')?.message));
    }
    expect(messages.get('log')).toBe('contentType of a .log file must be text/plain.');
    expect(messages.get('csv')).toBe('contentType of a .csv file must be text/csv or text/plain.');
    for (const message of messages.values()) {
      const named = message.match(/\w+\/[\w.+-]*\w/g) ?? [];
      expect(named).not.toEqual([]);
      expect([message, named]).toEqual([message, [...new Set(named)]]);
    }
  });

  it('names in every Unicode form are kept in one, and found', async () => {
    const apart = 'Mu\u0308nchen.png';
    const { status, shown } = await post(apart);
    expect([status, shown.filename]).toEqual([201, 'M\u00fcnchen.png']);
    const { body } = await people.owner.call.get(`/objectfiles?search=${encodeURIComponent('m\u00fcnchen')}`);
    expect((body.items as Json[]).length).toBe(1);
    // Some letters become two: the length is that of what is kept.
    expect((await post(`${'\u0958'.repeat(200)}.png`)).status).toBe(422);
    expect((await post(`${'\u0958'.repeat(100)}.png`)).status).toBe(201);
  });

  it('the declared size must be a positive integer within the limit', async () => {
    const { status, body } = await people.owner.call.post('/objectfiles', {
      filename: 'a.png',
      contentType: 'image/png',
    });
    expect([status, body.error]).toEqual([422, expect.objectContaining({ code: 441, data: 'sizeInBytes' })]);
    for (const size of [0, -1, '10', 1.5, 2 ** 60])
      expect((await post('a.png', 'image/png', size)).status).toBe(422);
    const large = await post('a.png', 'image/png', 1_000_001);
    expect([large.status, large.shown.data]).toEqual([413, 1_000_000]);
  });

  it('uploads need a login, and each user has a quota', async () => {
    const { anon, other, owner } = people;
    const file = { filename: 'a.png', contentType: 'image/png', sizeInBytes: 10 };
    expect((await anon.post('/objectfiles', file)).status).toBe(401);
    const all = await Promise.all(Array.from({ length: 30 }, () => other.call.post('/objectfiles', file)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(10);
    expect((await owner.call.post('/objectfiles', file)).status).toBe(201);
  });

  it('nothing of a file changes once it is created', async () => {
    const { owner } = people;
    const upload = await files.create(owner, 'a.png', 'image/png', 10);
    const { status, body } = await owner.call.put(`/objectfiles/${upload.id}`, {
      filename: 'b.exe',
      contentType: 'text/html',
      sizeInBytes: 1,
      status: 'ready',
      extension: 'exe',
      metadata: {},
      userId: people.other.id,
    });
    expect([status, (body.warnings as Json[]).length]).toEqual([200, 7]);
    expect(body.props).toMatchObject({
      filename: 'a.png',
      sizeInBytes: 10,
      status: 'pending',
      extension: 'png',
      metadata: null,
    });
  });

  it('only its owner sees a file, its upload URL and its links', async () => {
    const { owner, other, anon, admin } = people;
    const pending = await files.create(owner, 'p.png', 'image/png', 100);
    const ready = await files.avatar(owner, 'a.png', 'image/png', png);
    for (const id of [pending.id, ready.id]) {
      for (const who of [anon, other.call]) {
        expect((await who.get(`/objectfiles/${id}?includeRelated=user&includeMeta=true`)).status).toBe(404);
      }
    }
    expect((await anon.get('/objectfiles')).status).toBe(401);
    expect((await other.call.get('/objectfiles?includeMeta=true')).body.items).toEqual([]);
    const related = (await other.call.get(`/users/${owner.id}?includeRelated=avatar&includeLinks=true`)).body;
    expect(related.related).toEqual({ avatar: null });
    for (const who of [owner, admin]) {
      const { text, body } = await who.call.get(
        `/objectfiles/${pending.id}?includeMeta=true&includeLinks=true&includeExtra=downloadUrl&includeRelated=user`,
      );
      expect(text).not.toMatch(/staging|upload\/|presigned|X-Amz/);
      expect([(body.links as Json).file, (body.extras as Json).downloadUrl]).toEqual([undefined, null]);
      const list = await who.call.get(
        '/objectfiles?includeMeta=true&includeLinks=true&includeExtra=downloadUrl',
      );
      expect(list.text).not.toMatch(/staging\/|final\/|presigned|X-Amz/);
      expect(list.text).toContain('/thumbnail?expires=');
    }
  });

  it('no query can search, filter or sort by storage keys', async () => {
    const { owner } = people;
    await files.avatar(owner, 'cat.png', 'image/png', png);
    const [row] = await files.service.sql<{ key: string }>('SELECT "fileKey" AS key FROM objectfiles');
    const key = row?.key.split('/')[1] ?? '';
    expect(key.length).toBeGreaterThan(40);
    const { anon, other, admin } = people;
    for (const who of [anon, other.call, owner.call, admin.call]) {
      const guesses = [key, key.slice(0, 12), 'zq9-no-such-text'].map(
        (text) => `/objectfiles?search=${text}`,
      );
      await expectSameAnswer(who, who === anon ? 401 : 200, guesses);
    }
    expect(((await owner.call.get('/objectfiles?search=CAT')).body.items as Json[]).length).toBe(1);
    expect((await owner.call.get(`/objectfiles?fileKey=${key}`)).body.warnings).toHaveLength(1);
    expect((await owner.call.get('/objectfiles?sortBy=fileKey')).status).toBe(422);
  });

  it('filters by size, extension and user', async () => {
    const { owner } = people;
    await files.create(owner, 'a.png', 'image/png', 10);
    await files.create(owner, 'b.pdf', 'application/pdf', 2000);
    const names = async (query: string): Promise<unknown[]> => {
      const { body } = await owner.call.get(`/objectfiles?${query}`);
      return (body.items as { props: Json }[]).map(({ props }): unknown => props.filename);
    };
    expect(await names('_start_sizeInBytes=11')).toEqual(['b.pdf']);
    expect(await names('sizeInBytes=10')).toEqual(['a.png']);
    expect(await names('extension=pdf')).toEqual(['b.pdf']);
    expect(await names(`userId=${owner.id}`)).toEqual(['a.png', 'b.pdf']);
    expect(((await owner.call.get(`/users/${owner.id}/objectfiles`)).body.items as Json[]).length).toBe(2);
    const { avatarId } = (await owner.call.get('/users/options')).body as Record<string, Json[]>;
    expect(avatarId?.map(({ value }) => value as string)).toEqual(['png', 'jpeg', 'jpg', 'gif']);
  });

  it('the Host header does not choose where to upload', async () => {
    const { body } = await people.owner.call.post(
      '/objectfiles',
      { filename: 'a.png', contentType: 'image/png', sizeInBytes: 10 },
      { headers: { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' } },
    );
    expect(String((body.meta as Json).presignedUrl)).not.toContain('evil');
  });

  describe('downloads', () => {
    it('come with a safe name, a verified type and no way to run', async () => {
      const { owner } = people;
      const upload = await files.avatar(owner, "Ärger 日本 👍🏽 (1)'%41;.png", 'image/png', png);
      const { status, headers } = await files.served(owner, upload);
      expect(status).toBe(200);
      const disposition = parse(headers.get('content-disposition') ?? '');
      expect(disposition).toMatchObject({
        type: 'inline',
        parameters: { filename: "Ärger 日本 👍🏽 (1)'%41;.png" },
      });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
      expect(headers.get('cache-control')).toContain('private');
      // Pages of another origin may show what they have a link to.
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    });

    it('answer ranges', async () => {
      const upload = await files.avatar(people.owner, 'a.png', 'image/png', png);
      const whole = await files.served(people.owner, upload);
      const part = await files.served(people.owner, upload, 'file', { range: 'bytes=1-3' });
      expect([part.status, part.bytes.toString(), part.headers.get('content-range')]).toEqual([
        206,
        'PNG',
        `bytes 1-3/${whole.bytes.length}`,
      ]);
      const { body } = await people.owner.call.get(`/objectfiles/${upload.id}?includeExtra=downloadUrl`);
      const head = await fetch(String((body.extras as Json).downloadUrl), { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.bytes.length)]);
      const end = await files.served(people.owner, upload, 'file', { range: 'bytes=-4' });
      expect(end.bytes).toEqual(whole.bytes.subarray(-4));
      expect((await files.served(people.owner, upload, 'file', { range: 'bytes=9999999-' })).status).toBe(
        416,
      );
      expect((await files.served(people.owner, upload, 'file', { range: 'bytes=5-2,x' })).status).toBe(200);
    });

    it('go on where they broke off only with the same bytes, and are not sent twice', async () => {
      const upload = await files.avatar(people.owner, 'a.png', 'image/png', png);
      const { headers, bytes } = await files.served(people.owner, upload);
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      const again = async (conditions: Record<string, string>, link: 'file' | 'thumbnail' = 'file') => {
        const { status, bytes } = await files.served(people.owner, upload, link, conditions);
        return [status, bytes.length];
      };
      expect(await again({ range: 'bytes=10-', 'if-range': etag })).toEqual([206, bytes.length - 10]);
      expect(await again({ range: 'bytes=10-', 'if-range': '"another"' })).toEqual([200, bytes.length]);
      expect(await again({ 'if-none-match': `"another", ${etag}` })).toEqual([304, 0]);
      expect((await again({ 'if-none-match': etag }, 'thumbnail'))[0]).toBe(200);
      const { body } = await people.owner.call.get(`/objectfiles/${upload.id}?includeExtra=downloadUrl`);
      const url = String((body.extras as Json).downloadUrl);
      const head = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=1-3' } });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    });

    it('are over with the link, the file, and for whoever changes the link', async () => {
      const { owner } = people;
      const upload = await files.avatar(owner, 'a.png', 'image/png', png);
      const { body } = await owner.call.get(
        `/objectfiles/${upload.id}?includeLinks=true&includeExtra=downloadUrl`,
      );
      const url = String((body.extras as Json).downloadUrl);
      expect((await files.fetched(url)).status).toBe(200);
      const later = url.replace(/expires=\d+/, (text) => `expires=${Number(text.slice(8)) + 60}`);
      for (const wrong of [
        url.replace('/file?', '/thumbnail?'),
        `${url}&x=1`,
        later,
        url.replace(/signature=./, 'signature=_'),
      ]) {
        expect((await files.fetched(wrong)).status).toBe(403);
      }
      await owner.call.delete(`/objectfiles/${upload.id}`);
      expect((await files.fetched(url)).status).toBe(404);
    });
  });

  it('the generated picture is text and nothing else', async () => {
    await files.service.sql(`UPDATE users SET "realName" = $1, "useAsDisplayName" = 'realName'`, [
      '<script>"x" &y',
    ]);
    const image = await files.fetched(`/api/v1/users/${people.owner.id}/avatar-image`);
    expect(image.status).toBe(200);
    expect(image.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox/);
    expect(image.bytes.toString()).toContain('>SY<');
    expect((await files.fetched('/api/v1/users/vNoSuchUser/avatar-image')).status).toBe(404);
  });

  it('the generated picture is never taken for the picture whose place it takes', async () => {
    const upload = await files.avatar(people.owner, 'a.png', 'image/png', png);
    const address = `/api/v1/users/${people.owner.id}/avatar-image?v=${upload.id}`;
    const imported = await files.fetched(address);
    expect(imported.headers.get('cache-control')).toContain('immutable');
    // As between the reading of the user and of the file.
    await files.service.sql(`UPDATE objectfiles SET status = 'verifyFailed'`);
    const generated = await files.fetched(address, { 'if-none-match': imported.headers.get('etag') ?? '' });
    expect([generated.status, generated.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ]);
    expect(generated.headers.get('cache-control')).toBe('public, max-age=60');
    expect(generated.headers.get('etag')).not.toBe(imported.headers.get('etag'));
  });
});
