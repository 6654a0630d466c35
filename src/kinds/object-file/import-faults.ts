import { type ApiError, conflict, invalid, unsupportedType } from '../../http/errors.js';
import { type MediaFault, MOST_FRAMES, MOST_PIXELS } from '../../media/media-jobs.js';

/** What becomes of a file with this fault. */
export function statusAfter(fault: MediaFault): 'verifyFailed' | 'postProcessingFailed' {
  return fault === 'damaged' || fault === 'time' ? 'postProcessingFailed' : 'verifyFailed';
}

/** What the importer hears. */
export function faultOfMedia(fault: MediaFault): ApiError {
  const prop = 'objectFileId';
  switch (fault) {
    case 'magic':
      return unsupportedType('The content of the file is not what its extension says.', prop);
    case 'size':
      return invalid(prop, 'The file is not as large as was declared.');
    case 'pixels':
      return invalid(prop, `The picture may have at most ${MOST_PIXELS} pixels.`);
    case 'frames':
      return invalid(prop, `The picture may have at most ${MOST_FRAMES} frames.`);
    case 'damaged':
      return unsupportedType('The picture is damaged and can’t be read to its end.', prop);
    case 'time':
      return unsupportedType('The file takes too long to be read.', prop);
  }
}

/** The bytes are not there yet. Nothing is lost: the same call works once they are. */
export function notUploaded(): ApiError {
  return conflict('The file is not uploaded yet: PUT its bytes to meta.presignedUrl first.', 'objectFileId');
}
