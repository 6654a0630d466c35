import { fileTypeFromBuffer } from 'file-type';
import type { MediaFacts, RasterFormat, SniffJob, SniffResult } from './media-jobs.js';

const SIGNATURES: Readonly<Record<RasterFormat, (head: Buffer) => boolean>> = {
  png: (head) => head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  jpeg: (head) => head.subarray(0, 3).equals(Buffer.from('\xff\xd8\xff', 'latin1')),
  gif: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)),
  webp: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
};

/** Whether a file begins like this format. Checked before any parser runs. */
export function beginsLike(format: RasterFormat, head: Uint8Array): boolean {
  return SIGNATURES[format](Buffer.from(head));
}

/** The content type by the magic bytes; null if they are unknown or the content is invalid. */
export async function magicOf(head: Uint8Array): Promise<string | null> {
  try {
    return (await fileTypeFromBuffer(head))?.mime ?? null;
  } catch {
    return null;
  }
}

/** Inspects the beginning and the end of a file. */
export async function sniff({ head, tail, size }: SniffJob): Promise<SniffResult> {
  const mime = await magicOf(head);
  return { mime, isText: isText(head, head.length < size), facts: factsOf(mime, head, tail, size) };
}

function isText(head: Uint8Array, isCut: boolean): boolean {
  // The cut may be within a character.
  const whole = isCut ? head.subarray(0, head.length - 4) : head;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(whole, { stream: isCut });
  } catch {
    return false;
  }
  return !whole.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

/** Facts that are certain without reading the whole file. */
function factsOf(mime: string | null, head: Uint8Array, tail: Uint8Array, size: number): MediaFacts {
  if (mime === 'application/pdf') {
    const pages = pdfPages(head, size);
    return pages === null ? {} : { pages };
  }
  if (mime?.includes('zip') || mime?.includes('officedocument')) {
    const entries = zipEntries(tail);
    return entries === null ? {} : { entries };
  }
  return {};
}

/** The pages of a linearized PDF (ISO 32000-1, annex F), from its first object. Other PDFs would need a parser. */
function pdfPages(head: Uint8Array, size: number): number | null {
  const text = Buffer.from(head.subarray(0, 1024)).toString('latin1');
  if (!/\/Linearized\b/.test(text) || Number(/\/L\s+(\d{1,12})\b/.exec(text)?.[1]) !== size) return null;
  const pages = Number(/\/N\s+(\d{1,7})\b/.exec(text)?.[1]);
  return Number.isSafeInteger(pages) && pages > 0 ? pages : null;
}

/** The entries of a zip, from its end record (APPNOTE 4.3.16); null if that is missing or can't hold the number. */
function zipEntries(tail: Uint8Array): number | null {
  const bytes = Buffer.from(tail);
  const at = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (at < 0 || at + 22 > bytes.length) return null;
  const entries = bytes.readUInt16LE(at + 10);
  return entries === 0xffff ? null : entries;
}
