import { createRequire } from 'node:module';
import { essenceOf } from '../storage/media-type.js';
import type { FileType } from './file-types.js';

/*
 * Content types that browsers and phones declare. They send what their system has registered for an extension, which is not
 * always what IANA has. The content decides anyway, so any type that a system is known to send is accepted.
 */

/** `mime-db`, the maintained list of media types: type → its extensions, among others. */
const KNOWN = createRequire(import.meta.url)('mime-db') as Readonly<
  Record<string, { readonly extensions?: readonly string[] }>
>;

/** What a system sends for an unknown extension. */
const UNKNOWN = 'application/octet-stream';

const TEXT_OF_EXCEL = [
  'application/vnd.ms-excel',
  'text/comma-separated-values',
  'application/csv',
  'text/x-csv',
];
const JPEG = ['image/jpg', 'image/pjpeg'];
const TRANSPORT_STREAM = ['video/vnd.dlna.mpeg-tts', 'text/x-typescript'];

/**
 * Types that mime-db lacks: from Windows with Office (a CSV is a spreadsheet, an RTF a document), from Windows Media Player
 * (`.ts` and `.aac` are broadcasts), from Android and from older browsers.
 */
const ALSO_SENT: ReadonlyMap<string, readonly string[]> = new Map([
  ['7z', ['application/x-compressed']],
  ['aac', ['audio/x-aac', 'audio/aacp', 'audio/vnd.dlna.adts']],
  ['avi', ['video/avi', 'video/msvideo']],
  ['bmp', ['image/x-bmp', 'image/x-windows-bmp']],
  ['bz2', ['application/x-bzip', 'application/bzip2']],
  ['c', ['text/x-csrc', 'text/x-c']],
  ['cpp', ['text/x-c++src', 'text/x-c']],
  ['cs', ['text/x-csharp']],
  ['csv', TEXT_OF_EXCEL],
  ['doc', ['application/doc', 'application/vnd.msword']],
  ['go', ['text/x-go']],
  ['h', ['text/x-chdr', 'text/x-c']],
  ['heic', ['image/heic-sequence', 'image/heif-sequence']],
  ['ico', ['image/ico']],
  ['java', ['text/x-java', 'text/x-java-source']],
  ['jpeg', JPEG],
  ['jpg', JPEG],
  ['js', ['application/x-javascript']],
  ['json', ['text/json']],
  ['log', ['text/x-log']],
  ['m4a', ['audio/m4a', 'audio/aac', 'video/mp4']],
  ['md', ['text/x-markdown']],
  ['mid', ['audio/mid']],
  ['mp3', ['audio/x-mp3', 'audio/x-mpeg', 'audio/mpeg3']],
  ['ogg', ['application/ogg', 'video/ogg']],
  ['otf', ['application/x-font-otf', 'application/vnd.ms-opentype']],
  ['php', ['text/x-php']],
  ['png', ['image/x-png']],
  ['psd', ['application/x-photoshop', 'image/x-photoshop', 'image/psd']],
  ['rar', ['application/x-rar', 'application/x-compressed']],
  ['rb', ['text/x-ruby', 'application/x-ruby']],
  ['rs', ['text/x-rust', 'text/rust']],
  ['rtf', ['application/msword']],
  ['sql', ['text/x-sql', 'application/x-sql']],
  ['tgz', ['application/x-compressed', 'application/x-compressed-tar', 'application/x-tgz']],
  ['ts', TRANSPORT_STREAM],
  ['tsv', ['application/vnd.ms-excel']],
  ['tsx', ['text/tsx', 'text/x-typescript']],
  ['ttf', ['application/x-font-ttf', 'application/x-font-truetype']],
  ['vcf', ['text/x-vcard', 'text/directory']],
  ['wav', ['audio/x-pn-wav']],
  ['woff', ['application/font-woff', 'application/x-font-woff']],
  ['woff2', ['application/font-woff2']],
  ['xls', ['application/excel', 'application/x-excel', 'application/x-msexcel']],
  ['yaml', ['text/x-yaml']],
  ['yml', ['text/x-yaml']],
  ['zip', ['application/x-zip', 'application/x-compressed', 'multipart/x-zip']],
  ['zst', ['application/x-zstd']],
]);

/** Characters allowed in a header (RFC 9110 §5.5), because an upload must send the declared type. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The content type for a declared one: the same if the extension has it; otherwise the extension's first one, if systems are
 * known to send the declared one for it; otherwise null.
 * @param declared with parameters or without; they are ignored
 */
export function contentTypeOf(declared: string, { types }: FileType, extension: string): string | null {
  if (!PRINTABLE.test(declared)) return null;
  const essence = essenceOf(declared);
  if (types.includes(essence)) return essence;
  const isSent =
    essence === UNKNOWN ||
    KNOWN[essence]?.extensions?.includes(extension) === true ||
    ALSO_SENT.get(extension)?.includes(essence) === true;
  return isSent ? (types[0] ?? null) : null;
}
