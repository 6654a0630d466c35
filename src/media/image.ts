import { open } from 'node:fs/promises';
import sharp from 'sharp';
import {
  type ImageJob,
  type ImageResult,
  MediaRefusal,
  MOST_FRAMES,
  MOST_PIXELS,
  THUMBNAIL_SIDE,
} from './media-jobs.js';
import { beginsLike, magicOf } from './sniff.js';

const SNIFF_BYTES = 4100;

// Of libvips' many readers only these can be reached.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Decodes an image of the format that its name promises and writes it anew: upright, without metadata, the first frame
 * of an animation; and a thumbnail. The header is asked first, and decides.
 * @throws MediaRefusal
 */
export async function reworkImage(job: ImageJob): Promise<ImageResult> {
  const head = await readHead(job.input);
  if (!beginsLike(job.format, head) || !job.magic.includes((await magicOf(head)) ?? '')) {
    throw new MediaRefusal('magic');
  }
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
  } catch {
    throw new MediaRefusal('damaged');
  }
}

async function checkHeader({ input, format }: ImageJob): Promise<void> {
  const header = await reader(input)
    .metadata()
    .catch((error: unknown) => {
      const isTooLarge = error instanceof Error && /pixel limit|dimensions/i.test(error.message);
      throw new MediaRefusal(isTooLarge ? 'pixels' : 'damaged');
    });
  if (header.format !== format) throw new MediaRefusal('magic');
  if (header.width * header.height > MOST_PIXELS) throw new MediaRefusal('pixels');
  if ((header.pages ?? 1) > MOST_FRAMES) throw new MediaRefusal('frames');
}

function reader(file: string) {
  return sharp(file, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true });
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
