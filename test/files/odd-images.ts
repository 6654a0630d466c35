import { deflateSync } from 'node:zlib';
import sharp, { type JpegOptions, type PngOptions, type WebpOptions } from 'sharp';
import { animation, picture, pngChunk as chunk } from './images.js';

/*
 * Pictures as no program should write them, and as some do: every format, what its specification allows and hardly
 * anybody uses, and what it forbids. All are made here, byte for byte the same in every run.
 */

/** A picture and what an import of it comes to: the picture, or the refusal with this status. */
export interface OddPicture {
  readonly name: string;
  readonly extension: 'png' | 'jpg' | 'gif' | 'webp';
  readonly bytes: Buffer;
  readonly outcome: 200 | 415 | 422;
}

const latin = (text: string) => Buffer.from(text, 'latin1');
const u16 = (value: number) => Buffer.from([value & 255, value >> 8]);

/** All of them. */
export async function oddPictures(): Promise<OddPicture[]> {
  return [...(await pngs()), ...(await jpegs()), ...(await gifs()), ...(await webps())];
}

type Cases = Readonly<Record<string, readonly [OddPicture['outcome'], Buffer]>>;
const named = (extension: OddPicture['extension'], cases: Cases): OddPicture[] =>
  Object.entries(cases).map(([name, [outcome, bytes]]) => ({
    name: `${extension}: ${name}`,
    extension,
    bytes,
    outcome,
  }));

// PNG

interface Header {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly colour?: number;
  readonly interlace?: number;
}

const SIGNATURE = latin('\x89PNG\r\n\x1a\n');
const END = chunk('IEND', Buffer.alloc(0));

function ihdr({ width = 16, height = 16, bits = 8, colour = 0, interlace = 0 }: Header): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bits, colour, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

/** A gray picture, with other chunks before or in the place of its data. */
function png(header: Header, before: readonly Buffer[] = [], data = deflateSync(linesOf(header))): Buffer {
  return Buffer.concat([SIGNATURE, ihdr(header), ...before, chunk('IDAT', data), END]);
}

function linesOf({ width = 16, height = 16, bits = 8, colour = 0 }: Header): Buffer {
  const channels = [1, 0, 3, 1, 2, 0, 4][colour] ?? 1;
  const line = Buffer.alloc(1 + Math.ceil((width * channels * bits) / 8), 0x55).fill(0, 0, 1);
  return Buffer.concat(Array.from({ length: height }, () => line));
}

/** Breaks the check sum of the first chunk of a type. */
function badCrc(bytes: Buffer, type: string): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(type, 0, 'latin1');
  const end = at + 4 + copy.readUInt32BE(at - 4);
  copy.writeUInt32BE((copy.readUInt32BE(end) ^ 0xffffffff) >>> 0, end);
  return copy;
}

/** PNG files, odd and broken. */
export async function pngs(): Promise<OddPicture[]> {
  const good = await picture('png', 40, 30);
  const of = (options: PngOptions) => sharp(good).png(options).toBuffer();
  const idat = good.indexOf('IDAT') - 4;
  const lines = Buffer.concat(Array.from({ length: 16 }, () => Buffer.alloc(17, 0x55).fill(0, 0, 1)));
  const text = chunk('zTXt', Buffer.concat([latin('Comment\0\0'), deflateSync(Buffer.alloc(9_000_000))]));
  return named('png', {
    'one pixel': [200, png({ width: 1, height: 1 })],
    'one bit': [200, png({ bits: 1 })],
    '16 bits of gray': [200, png({ bits: 16 })],
    '16 bits of RGBA': [200, png({ bits: 16, colour: 6 })],
    'gray with alpha': [200, png({ colour: 4 })],
    'a palette': [200, await of({ palette: true })],
    'a palette that is missing': [415, png({ colour: 3 })],
    'a palette that is too short': [200, png({ colour: 3 }, [chunk('PLTE', Buffer.alloc(3))])],
    interlaced: [200, await of({ progressive: true })],
    'no bits': [415, png({ bits: 0 })],
    'five bits': [415, png({ bits: 5 })],
    'an unknown colour type': [415, png({ colour: 5 })],
    'no width': [415, png({ width: 0 })],
    'no height': [415, png({ height: 0 })],
    'more bytes than pixels': [
      422,
      png({ width: 7000, height: 4000, bits: 16, colour: 6 }, [], Buffer.alloc(0)),
    ],
    'a width of 2^31': [415, png({ width: 2 ** 31, height: 1 }, [], deflateSync(Buffer.alloc(100)))],
    'a line of 60 000': [200, png({ width: 60_000, height: 1 })],
    'a column of 60 000': [200, png({ width: 1, height: 60_000 }, [], deflateSync(Buffer.alloc(120_000)))],
    'no data': [415, Buffer.concat([SIGNATURE, ihdr({}), END])],
    'nothing but its signature': [415, SIGNATURE],
    'data of no length': [415, png({}, [], Buffer.alloc(0))],
    'data that ends early': [415, png({}, [], deflateSync(lines.subarray(0, 60)))],
    'data that goes on': [200, png({}, [], deflateSync(Buffer.concat([lines, lines])))],
    'data that is no zlib': [415, png({}, [], Buffer.alloc(200, 0xab))],
    'a filter that there is not': [415, png({}, [], deflateSync(Buffer.alloc(17 * 16, 9)))],
    'two headers': [415, Buffer.concat([SIGNATURE, ihdr({}), good.subarray(8)])],
    'a wrong check sum of the header': [415, badCrc(good, 'IHDR')],
    'a wrong check sum of the data': [415, badCrc(good, 'IDAT')],
    'a wrong check sum of a text': [200, badCrc(png({}, [chunk('tEXt', latin('Title\0x'))]), 'tEXt')],
    'a wrong check sum of the end': [200, badCrc(good, 'IEND')],
    'no end': [200, good.subarray(0, good.length - 12)],
    'cut in the middle': [415, good.subarray(0, (idat + good.length) >> 1)],
    'cut in the header': [415, good.subarray(0, 20)],
    'a text of 9 MB': [200, png({}, [text])],
    'a colour profile that is none': [
      200,
      png({}, [chunk('iCCP', Buffer.concat([latin('x\0\0'), deflateSync(latin('none'))]))]),
    ],
    'a gamma of zero': [200, png({}, [chunk('gAMA', Buffer.alloc(4))])],
    'Exif that is none': [200, png({}, [chunk('eXIf', Buffer.alloc(40, 0xff))])],
    'an unknown chunk that must be known': [415, png({}, [chunk('ABCD', Buffer.alloc(4))])],
    'a chunk of 2 GB': [
      415,
      Buffer.concat([SIGNATURE, ihdr({}), Buffer.from('7fffffff', 'hex'), latin('tEXt')]),
    ],
    'an animation': [200, png({}, [chunk('acTL', Buffer.from('0000000300000000', 'hex'))])],
    'zeros behind it': [200, Buffer.concat([good, Buffer.alloc(10_000)])],
  });
}

// JPEG

const marker = (code: number, data: Buffer) =>
  Buffer.concat([Buffer.from([0xff, code, (data.length + 2) >> 8, (data.length + 2) & 255]), data]);

/** The begin of the first segment with this marker. */
const segmentAt = (bytes: Buffer, code: number) => bytes.indexOf(Buffer.from([0xff, code]));

function exif(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return marker(0xe1, Buffer.concat([latin('Exif\0\0'), tiff]));
}

/** A file with bytes put in behind its begin. */
const afterBegin = (bytes: Buffer, ...more: Buffer[]) =>
  Buffer.concat([bytes.subarray(0, 2), ...more, bytes.subarray(2)]);

/** The last scan of a progressive file again and again. */
function again(bytes: Buffer, times: number): Buffer {
  const begin = bytes.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = bytes.subarray(begin, bytes.length - 2);
  return Buffer.concat([
    bytes.subarray(0, bytes.length - 2),
    ...Array.from({ length: times }, () => scan),
    bytes.subarray(-2),
  ]);
}

/**
 * A gray progressive picture with one scan for its averages and any number of equal ones for the rest, each of which says
 * in a few bytes that there is none: every decoder goes over all blocks for each.
 */
export function scanBomb(side: number, times: number): Buffer {
  const size = Buffer.from([side >> 8, side & 255, side >> 8, side & 255]);
  const counts = (length: number, ...symbols: number[]) => {
    const bits = Buffer.alloc(16);
    bits[length - 1] = symbols.length;
    return Buffer.concat([bits, Buffer.from(symbols)]);
  };
  const blocks = Math.ceil(side / 8) ** 2;
  // Code 0: no difference. Code 0 and 14 more bits: the end of 2^14 blocks and as many as they say.
  const run = 32_767;
  const ends = Array.from({ length: Math.ceil(blocks / run) }, (_, i) => {
    const left = Math.min(run, blocks - i * run);
    return `0${Math.max(0, left - 2 ** 14)
      .toString(2)
      .padStart(14, '0')}`;
  });
  const rest = marker(0xda, Buffer.from([1, 1, 0, 1, 63, 0]));
  const scan = Buffer.concat([rest, entropy(ends.join(''))]);
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    marker(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    marker(0xc2, Buffer.concat([Buffer.from([8]), size, Buffer.from([1, 1, 0x11, 0])])),
    marker(0xc4, Buffer.concat([Buffer.from([0]), counts(1, 0)])),
    marker(0xc4, Buffer.concat([Buffer.from([0x10]), counts(1, 0xe0)])),
    marker(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
    entropy('0'.repeat(blocks)),
    ...Array.from({ length: times }, () => scan),
    Buffer.from('ffd9', 'hex'),
  ]);
}

/** Bits as the bytes of a scan, filled up with ones; a byte of ones is followed by a zero. */
function entropy(bits: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2);
    bytes.push(byte, ...(byte === 0xff ? [0] : []));
  }
  return Buffer.from(bytes);
}

/** Other bytes in the frame header: precision, height, width. */
function framed(bytes: Buffer, edit: (frame: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.max(segmentAt(copy, 0xc0), segmentAt(copy, 0xc2));
  edit(copy.subarray(at + 4));
  return copy;
}

/** JPEG files, odd and broken. */
export async function jpegs(): Promise<OddPicture[]> {
  const good = await picture('jpeg', 40, 30);
  const of = (options: JpegOptions) => sharp(good).jpeg(options).toBuffer();
  const progressive = await of({ progressive: true });
  const scan = segmentAt(good, 0xda);
  const cmyk = await sharp(good).toColourspace('cmyk').jpeg().toBuffer();
  const without = (code: number) => {
    const at = segmentAt(good, code);
    return Buffer.concat([good.subarray(0, at), good.subarray(at + 2 + good.readUInt16BE(at + 2))]);
  };
  return named('jpg', {
    gray: [200, await sharp(good).grayscale().jpeg().toBuffer()],
    CMYK: [200, cmyk],
    progressive: [200, progressive],
    '4:4:4': [200, await of({ chromaSubsampling: '4:4:4' })],
    'its last scan once more': [200, again(progressive, 1)],
    'fifty scans': [200, scanBomb(1024, 49)],
    'thousands of scans': [422, scanBomb(1024, 3000)],
    'thousands of its last scan': [422, again(progressive, 3000)],
    'no width': [415, framed(good, (frame) => frame.writeUInt16BE(0, 3))],
    'no height': [415, framed(good, (frame) => frame.writeUInt16BE(0, 1))],
    'the largest size': [422, framed(good, (frame) => frame.writeUInt32BE(0xffffffff, 1))],
    '12 bits': [415, framed(good, (frame) => frame.writeUInt8(12, 0))],
    'more height than data': [415, framed(good, (frame) => frame.writeUInt16BE(3000, 1))],
    'no components': [415, framed(good, (frame) => frame.writeUInt8(0, 5))],
    'no quantisation table': [415, without(0xdb)],
    'one Huffman table less': [200, without(0xc4)],
    'no frame': [415, without(0xc0)],
    'no scan': [415, Buffer.concat([good.subarray(0, scan), Buffer.from('ffd9', 'hex')])],
    'a scan without data': [
      415,
      Buffer.concat([good.subarray(0, scan + 2 + good.readUInt16BE(scan + 2)), Buffer.from('ffd9', 'hex')]),
    ],
    'no end': [415, good.subarray(0, good.length - 2)],
    'cut in the middle': [415, good.subarray(0, (scan + good.length) >> 1)],
    'cut in the header': [415, good.subarray(0, scan >> 1)],
    'nothing but its begin': [415, Buffer.from('ffd8ff', 'hex')],
    lossless: [
      415,
      framed(good, () => undefined).fill(0xc3, segmentAt(good, 0xc0) + 1, segmentAt(good, 0xc0) + 2),
    ],
    'arithmetic coding that is none': [
      200,
      Buffer.from(good).fill(0xc9, segmentAt(good, 0xc0) + 1, segmentAt(good, 0xc0) + 2),
    ],
    'bytes of another scan': [200, Buffer.from(good).fill(0xd7, scan + 20, scan + 60)],
    'an orientation that there is not': [200, afterBegin(good, exif(9))],
    'Exif that is cut': [200, afterBegin(good, marker(0xe1, latin('Exif\0\0MM')))],
    'a colour profile that is none': [
      200,
      afterBegin(good, marker(0xe2, latin('ICC_PROFILE\0\x01\x01none'))),
    ],
    'a segment without length': [200, afterBegin(good, Buffer.from('ffe10000', 'hex'))],
    'comments of 60 KB': [
      200,
      afterBegin(good, ...Array.from({ length: 20 }, () => marker(0xfe, Buffer.alloc(60_000, 'x')))),
    ],
    'a second picture behind it': [200, Buffer.concat([good, good])],
  });
}

// GIF

interface Frame {
  readonly left?: number;
  readonly width?: number;
  readonly height?: number;
  readonly codeSize?: number;
  readonly data?: Buffer;
}

/** The pixels 0 and 1 in turn, 16 of them, as LZW codes of 3 bits. */
const PIXELS = lzw(Array.from({ length: 16 }, (_, i) => i & 1));

function lzw(pixels: readonly number[]): Buffer {
  // A clear code before each pixel keeps the codes at 3 bits.
  const codes = [...pixels.flatMap((pixel) => [4, pixel]), 5];
  const bits = codes.map((code) => [code & 1, (code >> 1) & 1, code >> 2]).flat();
  const bytes = Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit, at) => byte | (bit << at), 0),
  );
  return Buffer.concat([Buffer.from([bytes.length]), Buffer.from(bytes), Buffer.from([0])]);
}

function gif(size: readonly [number, number], frames: readonly Frame[], end = Buffer.from([0x3b])): Buffer {
  const screen = Buffer.concat([latin('GIF89a'), u16(size[0]), u16(size[1]), Buffer.from([0x81, 0, 0])]);
  const colours = Buffer.from('ff000000ff000000ffffffff', 'hex');
  const parts = frames.map(({ left = 0, width = 4, height = 4, codeSize = 2, data = PIXELS }) =>
    Buffer.concat([
      Buffer.from('21f9040008000000', 'hex'),
      Buffer.from([0x2c]),
      u16(left),
      u16(0),
      u16(width),
      u16(height),
      Buffer.from([0, codeSize]),
      data,
    ]),
  );
  return Buffer.concat([screen, colours, ...parts, end]);
}

/** GIF files, odd and broken. */
export async function gifs(): Promise<OddPicture[]> {
  const good = gif([4, 4], [{}]);
  const nothing = Buffer.from([0]);
  return named('gif', {
    'four by four': [200, good],
    'an animation of 200': [200, await animation(200)],
    'an animation of 201': [422, await animation(201)],
    'no frames': [415, gif([4, 4], [])],
    'a frame of no width': [415, gif([4, 4], [{ width: 0 }])],
    'a frame of no height': [415, gif([4, 4], [{ height: 0 }])],
    'a frame of no size': [415, gif([4, 4], [{ width: 0, height: 0 }])],
    'a frame of no size, then a good one': [415, gif([4, 4], [{ width: 0, height: 0 }, {}])],
    'a good frame, then one of no size': [200, gif([4, 4], [{}, { width: 0, height: 0 }])],
    'a screen of no size': [200, gif([0, 0], [{}])],
    'no size at all': [415, gif([0, 0], [{ width: 0, height: 0 }])],
    'a screen as large as can be': [200, gif([65535, 65535], [{}])],
    'a frame as large as can be': [422, gif([4, 4], [{ width: 65535, height: 65535 }])],
    'a frame beside the screen': [200, gif([4, 4], [{ left: 100 }])],
    'a frame larger than the screen': [200, gif([2, 2], [{}])],
    'a frame without data': [415, gif([4, 4], [{ data: nothing }])],
    'a code size of 0': [415, gif([4, 4], [{ codeSize: 0 }])],
    'a code size of 15': [415, gif([4, 4], [{ codeSize: 15 }])],
    'codes that there are not': [415, gif([4, 4], [{ data: Buffer.from('04ffffffff00', 'hex') }])],
    'fewer pixels than its size': [200, gif([40, 40], [{ width: 40, height: 40 }])],
    'no end': [200, gif([4, 4], [{}], Buffer.alloc(0))],
    'cut in the middle': [415, good.subarray(0, good.length - 12)],
    'cut in the header': [415, good.subarray(0, 9)],
    'nothing but its signature': [415, latin('GIF89a')],
    'an unknown block': [415, gif([4, 4], [], Buffer.from([0x77, 0, 0x3b]))],
    'an extension without end': [
      415,
      Buffer.concat([gif([4, 4], [], Buffer.alloc(0)), Buffer.from('21feff', 'hex'), Buffer.alloc(100, 'x')]),
    ],
  });
}

// WebP

const riff = (...chunks: Buffer[]) => {
  const body = Buffer.concat([latin('WEBP'), ...chunks]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([latin('RIFF'), size, body]);
};

function webpChunk(type: string, data: Buffer, length = data.length): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length);
  return Buffer.concat([latin(type), size, data, Buffer.alloc(data.length & 1)]);
}

const u24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
const vp8x = (flags: number, width: number, height: number) =>
  webpChunk('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), u24(width - 1), u24(height - 1)]));

/** WebP files, odd and broken. */
export async function webps(): Promise<OddPicture[]> {
  const good = await picture('webp', 40, 30);
  const of = (options: WebpOptions) => sharp(good).webp(options).toBuffer();
  const bits = good.subarray(12);
  const frames = await sharp(await animation(3), { animated: true })
    .webp()
    .toBuffer();
  const noFrames = riff(vp8x(2, 40, 30), webpChunk('ANIM', Buffer.alloc(6)));
  return named('webp', {
    lossy: [200, good],
    lossless: [200, await of({ lossless: true })],
    'with alpha': [200, await sharp(good).ensureAlpha(0.5).webp().toBuffer()],
    'an animation': [200, frames],
    'an animation without frames': [415, noFrames],
    'a canvas that is not its picture’s': [415, riff(vp8x(0, 400, 300), bits)],
    'a canvas as large as can be': [
      415,
      riff(vp8x(2, 2 ** 24, 2 ** 24), webpChunk('ANIM', Buffer.alloc(6)), bits),
    ],
    'no picture': [415, riff(vp8x(0, 40, 30))],
    'nothing in it': [415, riff()],
    'a chunk that ends behind the file': [415, riff(webpChunk('VP8 ', bits.subarray(8, 200), 100_000))],
    'a chunk of 4 GB': [415, riff(webpChunk('VP8L', bits.subarray(8), 0xffffffff))],
    'a colour profile that is none': [200, riff(vp8x(0x20, 40, 30), webpChunk('ICCP', latin('none')), bits)],
    'Exif that is none': [200, riff(vp8x(0x08, 40, 30), bits, webpChunk('EXIF', latin('none')))],
    'cut in the middle': [415, good.subarray(0, good.length >> 1)],
    'cut in the header': [415, good.subarray(0, 25)],
    'bytes of another picture': [415, Buffer.from(good).fill(0xd7, 24, 40)],
    'zeros behind it': [200, Buffer.concat([good, Buffer.alloc(1000)])],
  });
}
