/*
 * All accepted extensions. Programs that a system runs on a double click (exe, msi, bat, sh, jar …) are left out, and so
 * are types that nobody has asked for yet.
 */

/** A rough category of files. */
export type FileFamily =
  'image' | 'audio' | 'video' | 'document' | 'spreadsheet' | 'presentation' | 'code' | 'archive' | 'font';

/** One extension. */
export interface FileType {
  readonly family: FileFamily;
  /** Content types that a client may declare; the first one is served. */
  readonly types: readonly string[];
  /** What the magic bytes may say: content types of the file-type library; none for text. */
  readonly magic: readonly string[];
  /**
   * Text, served as plain text. It only has to be UTF-8: short magic bytes may also begin a word, like the BM of a bitmap.
   */
  readonly isText?: boolean;
  /** Decoded and encoded again on import, and shown in the browser. */
  readonly raster?: 'png' | 'jpeg' | 'gif' | 'webp';
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.';
const OLD_OFFICE = ['application/x-cfb'];
const ZIP = 'application/zip';

function binary(family: FileFamily, types: readonly string[], magic = types): FileType {
  return { family, types, magic };
}

function text(family: FileFamily, ...types: string[]): FileType {
  return { family, types: [...new Set([...types, 'text/plain'])], magic: [], isText: true };
}

function image(raster: FileType['raster'], types: readonly string[], magic = types): FileType {
  return { family: 'image', types, magic, raster };
}

const JPEG = image('jpeg', ['image/jpeg']);
const YAML = text('code', 'application/yaml', 'application/x-yaml', 'text/yaml');
const HTML = text('code', 'text/html');
const SCRIPT = text('code', 'text/javascript', 'application/javascript');
const MARKDOWN = text('document', 'text/markdown');
const CODE = text('code', 'text/plain');

/** Extension (lower case, no dot) → what it is. */
export const FILE_TYPES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ['png', image('png', ['image/png'], ['image/png', 'image/apng'])],
  ['jpg', JPEG],
  ['jpeg', JPEG],
  ['gif', image('gif', ['image/gif'])],
  ['webp', image('webp', ['image/webp'])],
  ['avif', binary('image', ['image/avif'])],
  ['bmp', binary('image', ['image/bmp', 'image/x-ms-bmp'])],
  ['heic', binary('image', ['image/heic', 'image/heif'], ['image/heic', 'image/heif'])],
  ['ico', binary('image', ['image/vnd.microsoft.icon', 'image/x-icon'], ['image/x-icon'])],
  ['psd', binary('image', ['image/vnd.adobe.photoshop'])],
  ['svg', { family: 'image', types: ['image/svg+xml'], magic: [], isText: true }],
  ['tif', binary('image', ['image/tiff'])],
  ['tiff', binary('image', ['image/tiff'])],

  ['aac', binary('audio', ['audio/aac'])],
  ['flac', binary('audio', ['audio/flac', 'audio/x-flac'])],
  ['m4a', binary('audio', ['audio/mp4', 'audio/x-m4a'], ['audio/mp4', 'audio/x-m4a', 'video/mp4'])],
  ['mid', binary('audio', ['audio/midi', 'audio/x-midi'])],
  ['mp3', binary('audio', ['audio/mpeg', 'audio/mp3'])],
  ['oga', binary('audio', ['audio/ogg'], ['audio/ogg', 'audio/ogg; codecs=opus', 'application/ogg'])],
  ['ogg', binary('audio', ['audio/ogg'], ['audio/ogg', 'audio/ogg; codecs=opus', 'application/ogg'])],
  ['opus', binary('audio', ['audio/ogg', 'audio/opus'], ['audio/ogg', 'audio/ogg; codecs=opus'])],
  ['wav', binary('audio', ['audio/wav', 'audio/x-wav', 'audio/vnd.wave'], ['audio/wav'])],

  ['avi', binary('video', ['video/vnd.avi', 'video/x-msvideo'], ['video/vnd.avi'])],
  ['m4v', binary('video', ['video/mp4', 'video/x-m4v'])],
  ['mkv', binary('video', ['video/matroska', 'video/x-matroska'], ['video/matroska', 'video/webm'])],
  ['mov', binary('video', ['video/quicktime'], ['video/quicktime', 'video/mp4'])],
  ['mp4', binary('video', ['video/mp4'], ['video/mp4', 'video/x-m4v', 'video/quicktime'])],
  ['mpeg', binary('video', ['video/mpeg'], ['video/mpeg', 'video/MP1S', 'video/MP2P'])],
  ['mpg', binary('video', ['video/mpeg'], ['video/mpeg', 'video/MP1S', 'video/MP2P'])],
  ['ogv', binary('video', ['video/ogg'])],
  ['webm', binary('video', ['video/webm'])],

  ['doc', binary('document', ['application/msword'], OLD_OFFICE)],
  ['docx', binary('document', [`${OPEN_XML}wordprocessingml.document`])],
  ['eml', text('document', 'message/rfc822')],
  ['epub', binary('document', ['application/epub+zip'])],
  ['ics', text('document', 'text/calendar')],
  ['md', MARKDOWN],
  ['odt', binary('document', [`${OPEN_DOCUMENT}text`])],
  ['pdf', binary('document', ['application/pdf'])],
  ['rtf', binary('document', ['application/rtf', 'text/rtf'], ['application/rtf'])],
  ['tex', text('document', 'text/x-tex')],
  ['txt', text('document')],
  ['vcf', text('document', 'text/vcard')],

  ['csv', text('spreadsheet', 'text/csv')],
  ['ods', binary('spreadsheet', [`${OPEN_DOCUMENT}spreadsheet`])],
  ['tsv', text('spreadsheet', 'text/tab-separated-values')],
  ['xls', binary('spreadsheet', ['application/vnd.ms-excel'], OLD_OFFICE)],
  ['xlsx', binary('spreadsheet', [`${OPEN_XML}spreadsheetml.sheet`])],
  ['odp', binary('presentation', [`${OPEN_DOCUMENT}presentation`])],
  ['ppt', binary('presentation', ['application/vnd.ms-powerpoint'], OLD_OFFICE)],
  ['pptx', binary('presentation', [`${OPEN_XML}presentationml.presentation`])],

  ['c', CODE],
  ['cpp', CODE],
  ['cs', CODE],
  ['css', text('code', 'text/css')],
  ['go', CODE],
  ['h', CODE],
  ['htm', HTML],
  ['html', HTML],
  ['ini', CODE],
  ['java', CODE],
  ['js', SCRIPT],
  ['json', text('code', 'application/json')],
  ['jsx', SCRIPT],
  ['log', text('code')],
  ['mjs', SCRIPT],
  ['php', CODE],
  ['rs', CODE],
  ['rb', CODE],
  ['sql', text('code', 'application/sql')],
  ['toml', text('code', 'application/toml')],
  ['ts', text('code', 'text/typescript', 'application/typescript')],
  ['tsx', text('code', 'text/typescript', 'application/typescript')],
  ['xml', text('code', 'application/xml', 'text/xml')],
  ['yaml', YAML],
  ['yml', YAML],

  ['7z', binary('archive', ['application/x-7z-compressed'])],
  ['bz2', binary('archive', ['application/x-bzip2'])],
  ['gz', binary('archive', ['application/gzip', 'application/x-gzip'], ['application/gzip'])],
  [
    'rar',
    binary(
      'archive',
      ['application/vnd.rar', 'application/x-rar-compressed'],
      ['application/x-rar-compressed'],
    ),
  ],
  ['tar', binary('archive', ['application/x-tar'])],
  ['tgz', binary('archive', ['application/gzip', 'application/x-gzip'], ['application/gzip'])],
  ['xz', binary('archive', ['application/x-xz'])],
  ['zip', binary('archive', [ZIP, 'application/x-zip-compressed'], [ZIP])],
  ['zst', binary('archive', ['application/zstd'])],

  ['otf', binary('font', ['font/otf'])],
  ['ttf', binary('font', ['font/ttf'])],
  ['woff', binary('font', ['font/woff'])],
  ['woff2', binary('font', ['font/woff2'])],
]);

/**
 * The content type to serve: never one that a browser runs, whatever the client has declared.
 * @param extension one of FILE_TYPES; others are bytes
 */
export function servedType(extension: string): string {
  const type = FILE_TYPES.get(extension);
  if (!type) return 'application/octet-stream';
  return type.isText ? 'text/plain; charset=utf-8' : (type.types[0] ?? 'application/octet-stream');
}
