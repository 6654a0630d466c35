import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture with some detail, in any of the formats. */
export function picture(
  format: 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff',
  width = 400,
  height = 300,
): Promise<Buffer> {
  const rows = Array.from(
    { length: 8 },
    (_, i) => `<circle cx="${i * 50}" cy="${i * 40}" r="30" fill="hsl(${i * 40},80%,50%)"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">${rows.join('')}</svg>`;
  return sharp(Buffer.from(svg))
    .flatten({ background: '#fff' })
    .resize(width, height, { fit: 'fill' })
    .toFormat(format)
    .toBuffer();
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/** A chunk of a PNG, with its check sum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** A PNG whose header declares any size; `rows` of its black pixels are really there. */
export function pngOf(width: number, height: number, rows: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits
  const line = Buffer.alloc(width + 1);
  const data = deflateSync(Buffer.concat(Array.from({ length: rows }, () => line)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** An animated GIF of tiny frames. */
export async function animation(frames: number): Promise<Buffer> {
  const still = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .gif()
    .toBuffer();
  const begin = still.indexOf(0x2c);
  const frame = Buffer.concat([
    Buffer.from('21f904000a000000', 'hex'),
    still.subarray(begin, still.length - 1),
  ]);
  return Buffer.concat([
    still.subarray(0, begin),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** A GIF with a script in a comment. */
export async function gifWithComment(comment: string): Promise<Buffer> {
  const still = await picture('gif', 40, 40);
  const block = Buffer.concat([
    Buffer.from([0x21, 0xfe, comment.length]),
    Buffer.from(comment),
    Buffer.from([0]),
  ]);
  return Buffer.concat([still.subarray(0, still.length - 1), block, Buffer.from([0x3b])]);
}

/** A JPEG that lies on its side and tells where it was taken, with what, and by whom. */
export async function jpegWithExif(): Promise<Buffer> {
  const image = sharp(await picture('jpeg', 400, 200));
  return image
    .withExif({
      IFD0: { Make: 'SecretCam', Copyright: 'Secret Person', Orientation: '6' },
      IFD2: { BodySerialNumber: 'SERIAL-4711' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret>XMP-SECRET</secret></x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

/** The colours of a picture in four quarters that stands upright, from the top left, line by line. */
export const QUARTERS = ['red', 'green', 'blue', 'white'];
const COLOURS: Readonly<Record<string, readonly number[]>> = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
};
/** Where each quarter of the upright picture is stored, for each orientation of Exif (TIFF 6.0, tag 274). */
const STORED: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [1, 0, 3, 2],
  [3, 2, 1, 0],
  [2, 3, 0, 1],
  [0, 2, 1, 3],
  [2, 0, 3, 1],
  [3, 1, 2, 0],
  [1, 3, 0, 2],
];

/** A JPEG that looks like {@link QUARTERS}, stored turned or mirrored, with the tag that says so. */
export function quarters(orientation: number): Promise<Buffer> {
  const side = 64;
  const stored = STORED[orientation - 1] ?? [];
  const pixels = Buffer.alloc(side * side * 3);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const place = (y < side / 2 ? 0 : 2) + (x < side / 2 ? 0 : 1);
      const name = QUARTERS[stored.findIndex((one) => one === place)] ?? '';
      pixels.set(COLOURS[name] ?? [], (y * side + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .withMetadata({ orientation })
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** The colours in the middle of the four quarters of a picture, whatever its tags say. */
export async function quartersOf(bytes: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return [0, 1, 2, 3].map((place) => {
    const x = Math.floor(info.width * (place % 2 ? 0.75 : 0.25));
    const y = Math.floor(info.height * (place < 2 ? 0.25 : 0.75));
    const at = (y * info.width + x) * info.channels;
    const near = (colour: readonly number[]) =>
      colour.every((value, i) => Math.abs(value - (data[at + i] ?? 0)) < 40);
    return Object.keys(COLOURS).find((name) => near(COLOURS[name] ?? [])) ?? 'another';
  });
}
