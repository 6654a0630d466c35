import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { faultOfMedia } from '../../src/files/import-faults.js';
import { FILE_TYPES } from '../../src/files/file-types.js';
import {
  type ImageJob,
  type ImageResult,
  MediaRefusal,
  MAX_MEMORY_BYTES,
} from '../../src/files/media/media-jobs.js';
import { MediaProcess } from '../../src/files/media/media-process.js';
import { QUARTERS, quarters, quartersOf } from './images.js';
import { type OddPicture, oddPictures } from './odd-images.js';

/* Every odd picture comes to a picture, or to a refusal that says why, and leaves the process fit for the next one. */

const LIMITS = { cpuMs: 20_000, wallMs: 120_000 };
/** Small, as a large one shows no more and takes longer. */
const COVER = { width: 40, height: 40 };

let folder: string;
/** No more modest than the tests: a busy machine would let it wait for minutes. */
const media = new MediaProcess(constants.priority.PRIORITY_NORMAL);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-odd-'));
});
afterAll(async () => {
  media.terminate();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: 'input' | 'output' | 'thumbnail') => join(folder, name);

/** What the process answers about a picture. */
async function reworked(bytes: Buffer, extension: string, cover: ImageJob['cover']): Promise<ImageResult> {
  const { raster: format, magic = [] } = FILE_TYPES.get(extension) ?? {};
  if (!format) throw new Error('This is no picture.');
  await writeFile(file('input'), bytes);
  await Promise.all([file('output'), file('thumbnail')].map((path) => rm(path, { force: true })));
  const paths = { input: file('input'), output: file('output'), thumbnail: file('thumbnail') };
  return (await media.run({ op: 'image', format, magic, cover, ...paths }, LIMITS)) as ImageResult;
}

/** The status of an import, once what it has made is seen to be a picture. */
async function imported({ extension, bytes }: OddPicture, cover: ImageJob['cover']): Promise<number> {
  try {
    const { width, height } = (await reworked(bytes, extension, cover)).facts;
    expect(await sizeOf(file('output'))).toEqual({ width, height });
    if (cover) expect({ width, height }).toEqual(cover);
    const small = await sizeOf(file('thumbnail'));
    expect(Math.max(small.width, small.height)).toBeLessThanOrEqual(300);
    return 200;
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    return faultOfMedia(error.fault).status;
  }
}

/** Of what can be decoded to its end. */
async function sizeOf(path: string): Promise<{ width: number; height: number }> {
  const image = sharp(path, { failOn: 'warning' }).raw();
  const { width, height } = (await image.toBuffer({ resolveWithObject: true })).info;
  return { width, height };
}

it.each([
  ['cut to a size', COVER],
  ['as it is', null],
])(
  'odd pictures, %s',
  async (_how, cover) => {
    sharp.cache(false); // the same names stand for other files
    const outcomes: Record<string, number> = {};
    const wanted: Record<string, number> = {};
    for (const odd of await oddPictures()) {
      wanted[odd.name] = odd.outcome;
      outcomes[odd.name] = await imported(odd, cover).catch((error: unknown) => {
        throw new Error(odd.name, { cause: error });
      });
    }
    expect(Object.keys(wanted).length).toBeGreaterThan(100);
    expect(outcomes).toEqual(wanted);
  },
  180_000,
);

it('a turned picture stands upright: its pixels, whatever the tag says', async () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    await reworked(await quarters(orientation), 'jpg', { width: 64, height: 64 });
    for (const path of [file('output'), file('thumbnail')]) {
      const bytes = await readFile(path);
      expect([orientation, (await sharp(bytes).metadata()).orientation]).toEqual([orientation, undefined]);
      expect([orientation, await quartersOf(bytes)]).toEqual([orientation, QUARTERS]);
    }
  }
});

it('the system holds the process to its memory', async () => {
  await reworked(await quarters(1), 'jpg', COVER);
  const limits = await readFile(`/proc/${media.pid ?? 0}/limits`, 'utf8').catch(() => null);
  // Only Linux can, and says so.
  if (limits !== null) expect(limits).toMatch(new RegExp(`Max data size +${MAX_MEMORY_BYTES} `));
});
