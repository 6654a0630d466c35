/*
 * Requests to and responses of the media process (media-worker.ts). Plain data, because it is sent between processes.
 */

/** Images with more pixels than this, in one frame, are refused by their header. */
export const MAX_PIXELS = 50_000_000;
/**
 * The maximum bytes of the decoded picture: its pixels times the bytes of one. Only one frame of an animation is decoded
 * and counts. A picture in 8 bits within the limit of pixels is always within this one.
 */
export const MAX_DECODED_BYTES = 4 * MAX_PIXELS;
/** Animations with more frames are refused; of the others the first frame is kept. */
export const MAX_FRAMES = 200;
/** The maximum number of scans of a JPEG: each covers the whole picture. Programs write about ten. */
export const MAX_SCANS = 100;
/** The memory limit of the media process, in bytes. */
export const MAX_MEMORY_BYTES = 1024 ** 3;
/** The maximum bytes of an image to decode. */
export const MAX_IMAGE_BYTES = 50 * 1024 * 1024;
/** Longer side of a thumbnail, in pixels. */
export const THUMBNAIL_SIDE = 300;
/** How many bytes at the beginning of a file are inspected. */
export const HEAD_BYTES = 256 * 1024;
/** How many bytes at the end of a file are inspected. */
export const TAIL_BYTES = 66 * 1024;

/** The formats that are decoded, and no other. */
export type RasterFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** Inspects a file without decoding it. */
export interface SniffJob {
  readonly op: 'sniff';
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly size: number;
}

/** Decodes an image and encodes it again, without metadata, upright. */
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

/** A request to the media process. */
export interface MediaRequest {
  readonly job: MediaJob;
  /** The limit of processor time of all threads, in milliseconds. */
  readonly cpuMs: number;
}

/** Facts about a file that may be shown: the allow list of the `metadata` prop. */
export type MediaFacts = Readonly<Record<string, string | number>>;

/** The result of inspecting a file. */
export interface SniffResult {
  /** Content type by the magic bytes; null: none is known. */
  readonly mime: string | null;
  /** Whether the beginning could be text: UTF-8 without control characters. */
  readonly isText: boolean;
  readonly facts: MediaFacts;
}

/** The result of encoding a picture. */
export interface ImageResult {
  readonly facts: MediaFacts;
  /** Bytes of the output. */
  readonly size: number;
}

/**
 * Why a file is refused: its type, its size in bytes, its header, an empty picture, or a failure to decode it (within the
 * limits of time and memory).
 */
export type MediaFault =
  'magic' | 'size' | 'pixels' | 'bytes' | 'frames' | 'scans' | 'empty' | 'damaged' | 'memory' | 'time';

/** A response of the media process. */
export type MediaResponse =
  | { readonly fault: MediaFault }
  | { readonly error: string }
  | { readonly result: SniffResult | ImageResult };

/** A response as it is sent, with the current memory of the process in bytes. */
export type SentResponse = MediaResponse & { readonly rss: number };

/** A file that must not be served. */
export class MediaRefusal extends Error {
  constructor(readonly fault: MediaFault) {
    super(`The file is refused: ${fault}.`);
    this.name = 'MediaRefusal';
  }
}
