import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import {
  type ImageJob,
  type ImageResult,
  MediaRefusal,
  MAX_DECODED_BYTES,
  MAX_FRAMES,
  MAX_PIXELS,
  THUMBNAIL_SIDE,
} from './media-jobs.js';
import { beginsLike, magicOf } from './sniff.js';
import { checkGif, checkJpeg } from './structure.js';

const SNIFF_BYTES = 4100;

// Allow only these of libvips' many readers.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Decodes an image in the format that its name says and encodes it again: upright, without metadata, only the first frame
 * of an animation; and a thumbnail. Checks the header first.
 * @throws MediaRefusal
 */
export async function reworkImage(job: ImageJob): Promise<ImageResult> {
  await checkStructure(job);
  await checkHeader(job);
  try {
    const picture = reader(job.input).autoOrient();
    if (job.cover) picture.resize({ ...job.cover, fit: 'cover' });
    const written = await picture.toFormat(job.format).toFile(job.output);
    await reader(job.output)
      .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
      .toFormat(job.format)
      .toFile(job.thumbnail);
    const { width, height, size } = written;
    return { facts: { width, height, format: job.format }, size };
  } catch (error) {
    throw faultOf(error);
  }
}

/** Checks the file before any parser reads it. */
async function checkStructure({ input, format, magic }: ImageJob): Promise<void> {
  const bytes = await readFile(input);
  const head = bytes.subarray(0, SNIFF_BYTES);
  if (!beginsLike(format, head) || !magic.includes((await magicOf(head)) ?? '')) {
    throw new MediaRefusal('magic');
  }
  if (format === 'jpeg') checkJpeg(bytes);
  if (format === 'gif') checkGif(bytes);
}

async function checkHeader({ input, format }: ImageJob): Promise<void> {
  const header = await reader(input)
    .metadata()
    .catch((error: unknown) => {
      throw faultOf(error);
    });
  if (header.format !== format) throw new MediaRefusal('magic');
  const pixels = header.width * header.height;
  const bytes = pixels * header.channels * (header.depth === 'uchar' ? 1 : 2);
  if (pixels > MAX_PIXELS) throw new MediaRefusal('pixels');
  if (bytes > MAX_DECODED_BYTES) throw new MediaRefusal('bytes');
  if ((header.pages ?? 1) > MAX_FRAMES) throw new MediaRefusal('frames');
}

/** Maps errors of the library to faults of the picture. System errors, such as a full disk, are not its fault. */
function faultOf(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (/out of memory|insufficient memory|failed to allocate/i.test(message))
    return new MediaRefusal('memory');
  if (/system error: (?!unknown|success)/i.test(message)) return error;
  return new MediaRefusal(/pixel limit|dimension|too large/i.test(message) ? 'pixels' : 'damaged');
}

function reader(file: string) {
  return sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true });
}
