import { type ApiError, invalid, unsupportedType } from '../common/errors.js';
import { FILE_TYPES, type FileType } from './file-types.js';
import { contentTypeOf } from './media-types.js';

/** Characters that no common file system takes, and path separators. */
const UNPORTABLE = /[<>:"/\\|?*]/;
/** Control characters, direction marks and other invisible ones, except joiners that some scripts and emoji need. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** A pattern that every valid filename matches, for the API's description. */
export const FILENAME_PATTERN =
  '^[^\\s<>:"/\\\\|?*](?:[^<>:"/\\\\|?*]*[^.<>:"/\\\\|?*])?\\.(?:' +
  [...FILE_TYPES.keys()]
    .map((extension) => extension.replace(/[a-z]/g, (one) => `[${one}${one.toUpperCase()}]`))
    .join('|') +
  ')$';

/** The length of the column, for a normalized name. */
const MAX_CHARACTERS = 256;

/** The extension of a filename: what follows its last dot, in lower case; empty when there is none. */
export function extensionOf(filename: string): string {
  return /[^.]\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
}

/** What is wrong with a filename, or null. The extension first: it says best what the file is. */
export function faultOfFilename(filename: string): ApiError | null {
  if (!FILE_TYPES.has(extensionOf(filename))) {
    return unsupportedType('filename must end in a supported extension, like .png or .pdf.', 'filename');
  }
  if (filename.length > MAX_CHARACTERS) {
    return invalid('filename', `filename has more than ${MAX_CHARACTERS} characters.`);
  }
  const folded = filename.normalize('NFKC');
  if (UNPORTABLE.test(filename) || UNPORTABLE.test(folded)) {
    return invalid('filename', 'filename must be a name without a path: none of < > : " / \\ | ? *');
  }
  if (INVISIBLE.test(filename) || filename !== filename.trim()) {
    return invalid('filename', 'filename must not hold invisible characters or begin or end with a blank.');
  }
  return null;
}

/** What is wrong with a declared content type for this extension, or null. */
export function faultOfContentType(contentType: string, type: FileType, extension: string): ApiError | null {
  if (contentTypeOf(contentType, type, extension) !== null) return null;
  const message = `contentType of a .${extension} file must be ${[...new Set(type.types)].join(' or ')}.`;
  return unsupportedType(message, 'contentType');
}
