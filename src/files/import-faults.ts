import { type ApiError, conflict, invalid, unsupportedType } from '../common/errors.js';
import { type MediaFault, MAX_DECODED_BYTES, MAX_FRAMES, MAX_PIXELS, MAX_SCANS } from './media/media-jobs.js';

/** Faults that are found only during processing. */
const LATE_FAULTS: ReadonlySet<MediaFault> = new Set(['damaged', 'memory', 'time']);

/** The status of a file with this fault. */
export function statusAfter(fault: MediaFault): 'verifyFailed' | 'postProcessingFailed' {
  return LATE_FAULTS.has(fault) ? 'postProcessingFailed' : 'verifyFailed';
}

/** The error for the importer. */
export function faultOfMedia(fault: MediaFault): ApiError {
  const prop = 'objectFileId';
  switch (fault) {
    case 'magic':
      return unsupportedType('The content of the file is not what its extension says.', prop);
    case 'size':
      return invalid(prop, 'The file is not as large as was declared.');
    case 'pixels':
      return invalid(prop, `The picture may have at most ${MAX_PIXELS} pixels.`);
    case 'bytes':
      return invalid(prop, `The picture may have at most ${MAX_DECODED_BYTES} bytes once it is decoded.`);
    case 'scans':
      return invalid(prop, `The picture may have at most ${MAX_SCANS} scans.`);
    case 'empty':
      return unsupportedType('The picture, or its first frame, has no pixels.', prop);
    case 'memory':
      return unsupportedType('The picture takes too much memory to be read.', prop);
    case 'frames':
      return invalid(prop, `The picture may have at most ${MAX_FRAMES} frames.`);
    case 'damaged':
      return unsupportedType('The picture is damaged and can’t be read to its end.', prop);
    case 'time':
      return unsupportedType('The file takes too long to be read.', prop);
  }
}

/** 409: the bytes were not uploaded yet. The same request works once they are. */
export function notUploaded(): ApiError {
  return conflict('The file is not uploaded yet: PUT its bytes to meta.presignedUrl first.', 'objectFileId');
}
