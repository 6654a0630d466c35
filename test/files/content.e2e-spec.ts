import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { Fixture } from '../support/fixture.js';
import { FileService, onBothDrivers } from './file-service.js';
import {
  animation,
  quartersOf,
  gifWithComment,
  jpegWithExif,
  picture,
  pngOf,
  QUARTERS,
  quarters,
} from './images.js';
import { gifs, jpegs, pngs } from './odd-images.js';
import { WITH_REPORTS } from '../kinds/report.js';
import { quick } from '../support/quick.js';

/* Uploads whose content is not what their name and type say. */

const ZIP_END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
const latin = (text: string) => Buffer.from(text, 'latin1');

/** Files of formats whose parsers have looped, each with an entry of length zero. */
const LOOPS: Record<string, Buffer> = {
  icns: Buffer.concat([latin('icns\x00\x00\x01\x00ic07'), Buffer.alloc(400)]),
  heif: Buffer.concat([latin('\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic'), Buffer.alloc(400)]),
  jxl: Buffer.concat([latin('\x00\x00\x00\x0cJXL \r\n\x87\n\x00\x00\x00\x00'), Buffer.alloc(400)]),
  matroska: Buffer.concat([latin('\x1aE\xdf\xa3\x80'), Buffer.alloc(400)]),
  asf: Buffer.concat([latin('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9'), Buffer.alloc(400)]),
};

onBothDrivers('the content of uploads', (driver) => {
  let files: FileService;
  let people: Fixture;

  beforeAll(async () => {
    files = await FileService.start(driver, {}, WITH_REPORTS);
  });
  afterAll(() => files.stop());
  beforeEach(async () => {
    people = await files.reset();
  });

  /** Uploads and imports; the status, after looking that a refusal has left nothing. */
  async function tried(bytes: Uint8Array, filename = 'a.png', contentType = 'image/png'): Promise<number> {
    const { owner } = people;
    const upload = await files.upload(owner, filename, contentType, bytes);
    const { status } = await files.importAvatar(owner, upload);
    if (status === 200) return status;
    expect(await files.avatarOf(owner)).toBeNull();
    expect(await files.statusOf(owner, upload)).toMatch(/Failed$/);
    expect((await files.served(owner, upload)).status).toBe(404);
    await files.tidy();
    expect(await files.storage.keys()).toEqual([]);
    return status;
  }

  it('HTML with the name of a PNG is refused', async () => {
    expect(await tried(latin('<html><script>1</script></html>'))).toBe(415);
  });

  it('a picture that is a file of another type too loses what makes it one', async () => {
    const tail = Buffer.concat([latin('<script>alert(1)</script>'), ZIP_END]);
    const png = Buffer.concat([await picture('png', 300, 300), tail]);
    const gif = await gifWithComment('<script>alert(1)</script>');
    for (const [name, type, bytes] of [
      ['a.png', 'image/png', png],
      ['a.gif', 'image/gif', gif],
    ] as const) {
      expect(bytes.includes('<script')).toBe(true);
      const upload = await files.upload(people.owner, name, type, bytes);
      expect((await files.importAvatar(people.owner, upload)).status).toBe(200);
      for (const link of ['file', 'thumbnail'] as const) {
        const served = (await files.served(people.owner, upload, link)).bytes;
        expect(served.length).toBeGreaterThan(100);
        expect([served.includes('<script'), served.includes('PK\x05\x06')]).toEqual([false, false]);
      }
    }
  });

  it('truncated and empty pictures are refused, also one that begins well', async () => {
    const png = await picture('png');
    const jpeg = await picture('jpeg');
    expect(await tried(png.subarray(0, png.length >> 1))).toBe(415);
    expect(await tried(jpeg.subarray(0, jpeg.length >> 1), 'a.jpg', 'image/jpeg')).toBe(415);
    expect(await tried(png.subarray(0, 8))).toBe(415);
    expect(await tried(Buffer.concat([png.subarray(0, 60), Buffer.alloc(5000, 7)]))).toBe(415);
  });

  it('pictures of too many pixels are refused quickly, by their header alone', async () => {
    for (const bytes of [pngOf(100_000, 100_000, 1), pngOf(20_000, 20_000, 2_000), pngOf(10_000, 5_001, 1)]) {
      const upload = await files.upload(people.owner, 'a.png', 'image/png', bytes);
      const begin = Date.now();
      const { status, body } = await files.importAvatar(people.owner, upload);
      expect([status, (body.error as { message: string }).message]).toEqual([
        422,
        'The picture may have at most 50000000 pixels.',
      ]);
      expect(Date.now() - begin).toBeLessThan(quick(6000));
      expect(await files.statusOf(people.owner, upload)).toBe('verifyFailed');
    }
  });

  it('animations with too many frames are refused, others keep their first', async () => {
    expect(await tried(await animation(3000), 'a.gif', 'image/gif')).toBe(422);
    expect(await tried(await animation(201), 'a.gif', 'image/gif')).toBe(422);
    expect(await tried(await animation(200), 'a.gif', 'image/gif')).toBe(200);
  });

  it('formats whose parsers may loop are refused before they are parsed', async () => {
    for (const bytes of Object.values(LOOPS)) {
      const begin = Date.now();
      expect(await tried(bytes)).toBe(415);
      expect(Date.now() - begin).toBeLessThan(quick(5000));
    }
    expect((await people.anon.get('/users?itemsPerPage=1')).status).toBe(200);
  });

  it('the place and the camera are removed from a picture, and it is turned upright', async () => {
    const bytes = await jpegWithExif();
    expect([bytes.includes('SecretCam'), bytes.includes('XMP-SECRET')]).toEqual([true, true]);
    const upload = await files.upload(people.owner, 'a.jpg', 'image/jpeg', bytes);
    expect((await files.importAvatar(people.owner, upload)).status).toBe(200);
    for (const link of ['file', 'thumbnail'] as const) {
      const served = (await files.served(people.owner, upload, link)).bytes;
      const { exif, xmp, iptc, icc, orientation } = await sharp(served).metadata();
      expect([exif, xmp, iptc, icc, orientation]).toEqual(Array.from({ length: 5 }, () => undefined));
      for (const secret of ['SecretCam', 'Secret Person', 'SERIAL', 'XMP-SECRET', 'Exif']) {
        expect([secret, served.includes(secret)]).toEqual([secret, false]);
      }
    }
    // What lay on its side stands, whatever a tag says.
    const turned = await files.avatar(people.owner, 'b.jpg', 'image/jpeg', await quarters(6));
    expect(await quartersOf((await files.served(people.owner, turned)).bytes)).toEqual(QUARTERS);
    const { body } = await people.owner.call.get(`/objectfiles/${turned.id}`);
    expect((body.props as { metadata: unknown }).metadata).toEqual({
      width: 300,
      height: 300,
      format: 'jpeg',
    });
  });

  it('odd pictures end in a refusal that says why, or in a picture', async () => {
    const odd = new Map(
      [...(await jpegs()), ...(await pngs()), ...(await gifs())].map((one) => [one.name, one]),
    );
    const reasons: Record<string, [string, string]> = {
      'gif: a frame of no size': ['verifyFailed', 'has no pixels'],
      'jpg: thousands of scans': ['verifyFailed', 'at most 100 scans'],
      'png: more bytes than pixels': ['verifyFailed', 'at most 200000000 bytes'],
      'jpg: a scan without data': ['postProcessingFailed', 'is damaged'],
      'png: data that ends early': ['postProcessingFailed', 'is damaged'],
      'gif: a frame as large as can be': ['verifyFailed', 'at most 50000000 pixels'],
    };
    for (const [name, [status, reason]] of Object.entries(reasons)) {
      const { bytes, extension, outcome } = odd.get(name) ?? {};
      if (!bytes || !extension) throw new Error(`There is no picture ${name}.`);
      const type = extension === 'jpg' ? 'image/jpeg' : `image/${extension}`;
      const upload = await files.upload(people.owner, `a.${extension}`, type, bytes);
      const answer = await files.importAvatar(people.owner, upload);
      expect([name, answer.status]).toEqual([name, outcome]);
      expect([name, (answer.body.error as { message: string }).message]).toEqual([
        name,
        expect.stringContaining(reason),
      ]);
      expect([name, await files.statusOf(people.owner, upload)]).toEqual([name, status]);
      expect(await files.avatarOf(people.owner)).toBeNull();
    }
    await files.tidy();
    expect(await files.objects('final')).toEqual([]);
  });

  it('a valid file of another format than its name says is refused', async () => {
    const svg = latin('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const wrong = [
      await picture('webp'),
      await picture('tiff'),
      await picture('jpeg'),
      latin('%PDF-1.7\n%%EOF'),
      Buffer.concat([latin('BM'), Buffer.alloc(200)]),
      ZIP_END,
      svg,
    ];
    for (const bytes of wrong) expect(await tried(bytes)).toBe(415);
    expect(
      (
        await people.owner.call.post('/objectfiles', {
          filename: 'a.svg',
          contentType: 'image/svg+xml',
          sizeInBytes: 9,
        })
      ).status,
    ).toBe(201);
  });

  it('a small picture fills the avatar, and every accepted format works', async () => {
    for (const [name, format] of [
      ['a.png', 'png'],
      ['a.jpg', 'jpeg'],
      ['b.jpeg', 'jpeg'],
      ['a.gif', 'gif'],
    ] as const) {
      const upload = await files.avatar(people.owner, name, `image/${format}`, await picture(format, 20, 10));
      const served = await files.served(people.owner, upload);
      expect(served.headers.get('content-type')).toBe(`image/${format}`);
      expect(await sharp(served.bytes).metadata()).toMatchObject({ width: 300, height: 300, format });
    }
  });
});
