import { MediaRefusal, MAX_PIXELS, MAX_SCANS } from './media-jobs.js';

/*
 * Checks the structure of a picture before it is decoded, because libraries also decode invalid pictures: a JPEG may have
 * any number of scans of a few bytes, and is gray where data are missing; the first frame of a GIF may have no pixels, and
 * is black then.
 */

/** The relevant markers of JPEG (ITU-T T.81, table B.1). */
const MARKER = 0xff;
const BASELINE = 0xc0;
const EXTENDED = 0xc1;
const PROGRESSIVE = 0xc2;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Whether a marker stands alone: RST0 to RST7, SOI, EOI and TEM have no length. */
const standsAlone = (code: number) => (code >= 0xd0 && code <= END_OF_IMAGE) || code === 0x01;
/** Within the data of a scan: a 0xff of the data itself, or a restart. */
const isData = (code: number) => code === 0 || (code >= 0xd0 && code <= 0xd7);

/**
 * Checks the scans of a JPEG.
 * @throws MediaRefusal `pixels`, `scans` for too many, `damaged` for less data than its pixels need
 */
export function checkJpeg(bytes: Buffer): void {
  let at = 2;
  let scans = 0;
  let dataBytes = 0;
  let leastBits = 0;
  while (at + 4 <= bytes.length) {
    const code = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER || code === MARKER || code === 0) {
      at++; // what lies between segments is passed over, as by decoders
      continue;
    }
    if (code === END_OF_IMAGE) break;
    if (standsAlone(code)) {
      at += 2;
      continue;
    }
    const segment = at + 4;
    at += 2 + bytes.readUInt16BE(at + 2);
    if (code === BASELINE || code === EXTENDED || code === PROGRESSIVE) {
      leastBits = leastBitsOf(bytes.subarray(segment, at), code === PROGRESSIVE);
    }
    if (code !== START_OF_SCAN) continue;
    if (++scans > MAX_SCANS) throw new MediaRefusal('scans');
    const end = endOfScan(bytes, at);
    dataBytes += end - at;
    at = end;
  }
  if (dataBytes * 8 < leastBits) throw new MediaRefusal('damaged');
}

/**
 * The minimum bits of the blocks of one component, because no Huffman code is shorter than one bit: one for the average of
 * each and, without successive scans, another one for the rest.
 */
function leastBitsOf(frame: Buffer, isProgressive: boolean): number {
  if (frame.length < 5) return 0;
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  if (width * height > MAX_PIXELS) throw new MediaRefusal('pixels');
  const blocks = Math.ceil(height / 8) * Math.ceil(width / 8);
  return isProgressive ? blocks : 2 * blocks;
}

/** The end of a scan's data: the next marker that is not part of them. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(MARKER, from);
  while (at >= 0 && at + 1 < bytes.length && isData(bytes[at + 1] ?? 0)) at = bytes.indexOf(MARKER, at + 2);
  return at < 0 ? bytes.length : at;
}

/** The blocks of a GIF (GIF89a, appendix A). */
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * Checks the first frame of a GIF, which is the one that is kept.
 * @throws MediaRefusal `empty` when it has no pixels
 */
export function checkGif(bytes: Buffer): void {
  const tableAt = (flags: number, at: number) => at + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let at = tableAt(bytes[10] ?? 0, 13);
  while (bytes[at] === EXTENSION) at = endOfBlocks(bytes, at + 2);
  // Decoders refuse a file without a complete frame.
  if (bytes[at] !== IMAGE || at + 10 > bytes.length) return;
  const width = bytes.readUInt16LE(at + 5);
  const height = bytes.readUInt16LE(at + 7);
  const data = tableAt(bytes[at + 9] ?? 0, at + 10);
  const codeSize = bytes[data] ?? 0;
  const hasData = (bytes[data + 1] ?? 0) > 0;
  if (width === 0 || height === 0 || codeSize === 0 || !hasData) throw new MediaRefusal('empty');
}

/** The position after the sub-blocks that begin here; the last one is empty. */
function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}
