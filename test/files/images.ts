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

function chunk(type: string, data: Buffer): Buffer {
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
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
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
