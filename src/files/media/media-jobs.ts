/*
 * What the media process is asked and what it answers (media-worker.ts). Plain data: it goes from process to process.
 */

/** Images with more pixels than this, in one frame, are refused by their header. */
export const MAX_PIXELS = 50_000_000;
/**
 * Bytes of the decoded picture: its pixels times the bytes that one has. Of an animation one frame is decoded, so that
 * the others don't count. A picture in 8 bits that may have its pixels has its bytes, whatever its channels.
 */
export const MAX_DECODED_BYTES = 4 * MAX_PIXELS;
/** Animations with more frames are refused; of the others the first frame is kept. */
export const MAX_FRAMES = 200;
/** Scans of a JPEG: each goes over the whole picture. Programs write about ten. */
export const MAX_SCANS = 100;
/** Bytes of memory that the media process may take, all in all. */
export const MAX_MEMORY_BYTES = 1024 ** 3;
/** Bytes of an image that is to be decoded. */
export const MAX_IMAGE_BYTES = 50 * 1024 * 1024;
/** Longer side of a thumbnail, in pixels. */
export const THUMBNAIL_SIDE = 300;
/** Bytes from the beginning of a file that are looked at. */
export const HEAD_BYTES = 256 * 1024;
/** Bytes from the end of a file that are looked at. */
export const TAIL_BYTES = 66 * 1024;

/** The formats that are decoded, and no other. */
export type RasterFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** Looks at a file without decoding it. */
export interface SniffJob {
  readonly op: 'sniff';
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly size: number;
}

/** Decodes an image and writes it anew, without metadata, upright. */
export interface ImageJob {
  readonly op: 'image';
  readonly input: string;
  readonly format: RasterFormat;
  /** Content types that the magic bytes may say. */
  readonly magic: readonly string[];
  /** Cut to exactly this size; null: as large as it is. */
  readonly cover: { readonly width: number; readonly height: number } | null;
  readonly output: string;
  readonly thumbnail: string;
}

/** A job of the media process. */
export type MediaJob = SniffJob | ImageJob;

/** What the media process is sent. */
export interface MediaRequest {
  readonly job: MediaJob;
  /** Milliseconds of processor time, of all its threads, that the job may take. */
  readonly cpuMs: number;
}

/** Facts about a file that may be shown: the allow list of the `metadata` prop. */
export type MediaFacts = Readonly<Record<string, string | number>>;

/** What a look at a file tells. */
export interface SniffResult {
  /** Content type by the magic bytes; null: none is known. */
  readonly mime: string | null;
  /** Whether the beginning could be text: UTF-8 without control characters. */
  readonly isText: boolean;
  readonly facts: MediaFacts;
}

/** What is told of a picture that was written. */
export interface ImageResult {
  readonly facts: MediaFacts;
  /** Bytes of the output. */
  readonly size: number;
}

/**
 * Why a file is refused: its kind, its size in bytes, what its header tells, that it shows nothing, or that it can't be
 * decoded (in time, in the memory that there is).
 */
export type MediaFault =
  'magic' | 'size' | 'pixels' | 'bytes' | 'frames' | 'scans' | 'empty' | 'damaged' | 'memory' | 'time';

/** One answer of the media process. */
export type MediaResponse =
  | { readonly fault: MediaFault }
  | { readonly error: string }
  | { readonly result: SniffResult | ImageResult };

/** An answer as it is sent, with the bytes of memory that the process holds now. */
export type SentResponse = MediaResponse & { readonly rss: number };

/** A file that must not be served. */
export class MediaRefusal extends Error {
  constructor(readonly fault: MediaFault) {
    super(`The file is refused: ${fault}.`);
    this.name = 'MediaRefusal';
  }
}
