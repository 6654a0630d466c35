import { describe, expect, it } from '@jest/globals';
import { times } from '../../test/support/times.js';
import { extensionOf, faultOfFilename } from '../files/filename.js';
import { initialsOf } from '../kinds/user/default-picture.js';
import { parseDate } from '../common/dates.js';
import { EMAIL, fold, URL_FORMAT, USERNAME } from '../record/schema/formats.js';
import { Ids } from '../record/ids/ids.js';
import { oneForm } from '../record/schema/texts.js';
import { SCHEDULE } from '../scheduler/schedule.js';
import { isTimeZone } from '../scheduler/wall-time.js';
import { byteRange } from './byte-range.js';
import { parseBody } from './body-parser.js';
import { matchesNone } from './conditional.js';
import { HTTP_LIMITS } from './limits.js';
import { parseQuery } from './query.js';
import { MAX_MARKS } from './text.js';
import { crossSite } from '../auth/same-site.js';

const MIB = 1024 * 1024;
const HEADER = HTTP_LIMITS.headerBytes;
const TEXT = 65_535;
/** Names are short; ordering many marks takes ICU the square of their number. */
const NAME = 512;
/** How many times as long as a plain pass over as many characters a reader may take. */
const PASSES = 20;
/** A time in which nothing can be told from the noise of the machine. In milliseconds. */
const NOISE_MS = 8;
const ids = new Ids('a secret for tests alone, 32 characters');

/** `piece` again and again, up to `size` characters, between a head and a tail. */
const filled = (head: string, piece: string, tail: string) => (size: number) =>
  head + piece.repeat(Math.max(1, Math.floor((size - head.length - tail.length) / piece.length))) + tail;

type Read = (text: string) => unknown;
const body: Read = (text) => parseBody(Buffer.from(text));
/** As a text prop and a login read it: in its one form, folded. */
const bodyThenProp: Read = (text) => fold(oneForm(String(parseBody(Buffer.from(text)).a)));
/** Folding alone takes four passes of ICU, over texts that no longer have one byte for each character. */
const PASSES_OF = new Map([[bodyThenProp, 80]]);
const host: Read = (text) => crossSite({ origin: text, 'sec-fetch-site': 'none' }, 'localhost', []);
const tag: Read = (text) => matchesNone(text, '"a"');

/** What reads outside text, the most characters it is given, and texts that are dear to careless readers. */
const READERS: [string, number, Read, (size: number) => string][] = [
  ['a fraction of zeros', MIB, body, filled('{"a":1.', '0', '1}')],
  ['whole zeros', MIB, body, filled('{"a":1', '0', '1}')],
  ['numbers of zeros', MIB, body, filled('{"a":[1', `,1.${'0'.repeat(390)}1`, ']}')],
  ['escaped quotes after an exponent', MIB, body, filled('{"a":1e5,"', '\\"', '":1}')],
  ['escaped quotes in a broken body', MIB, body, filled('{"a":1e5,"', '\\"', '')],
  ['backslashes', MIB, body, filled('{"a":1e5,"b":"', '\\\\', '"}')],
  ['exponents', MIB, body, filled('{"a":[1', ',1e5', ']}')],
  ['members', MIB, body, filled('{', '"aa":1,', '"b":1}')],
  ['elements', MIB, body, filled('{"a":[', '1,', '1]}')],
  ['lists', MIB, body, filled('{"a":[', '[],', '1]}')],
  ['lists in lists', MIB, body, filled('{"a":', '[', '')],
  ['objects in objects', MIB, body, filled('', '{"a":', '')],
  ['half surrogates', MIB, body, filled('{"a":"', '\\ud83d', '"}')],
  ['one member again and again', MIB, body, filled('{"a":[0', ',{"a":0}', ']}')],
  ['blanks', MIB, body, filled('{"a":1', ' ', '}')],
  ['surrogates', MIB, body, filled('{"a":"', '😀', '\\ud800"}')],
  ['marks in a body', MIB, bodyThenProp, filled('{"a":"a', '\u0300\u0323', '"}')],
  ['halfwidth marks', MIB, bodyThenProp, filled('{"a":"a', '\u0301\uFF9E', '"}')],
  ['marks in rows', MIB, bodyThenProp, filled('{"a":"', `a${'\u0300\u0323'.repeat(15)}`, '"}')],
  ['marks in rows in one plain text', MIB, body, filled('{"a":"', `a${'\u0301'.repeat(MAX_MARKS)}`, '"}')],
  ['query: marks', HTTP_LIMITS.urlLength, parseQuery, filled('a=', '%CC%80%CC%A3', '')],
  ['query: escapes', HTTP_LIMITS.urlLength, parseQuery, filled('a=', '%41', '')],
  ['query: broken escapes', HTTP_LIMITS.urlLength, parseQuery, filled('a=', '%4', '')],
  ['query: ampersands', HTTP_LIMITS.urlLength, parseQuery, filled('', '&', '')],
  ['query: pluses', HTTP_LIMITS.urlLength, parseQuery, filled('', '+', '')],
  ['an origin', HEADER, host, filled('http://', 'a.', '')],
  ['entity tags', HEADER, tag, filled('', 'W/"",', '')],
  ['blanks of entity tags', HEADER, tag, filled('"x"', ' ', 'x')],
  ['a range', HEADER, (text) => byteRange(text, 10), filled('bytes=', '1', '-')],
  ['an id', HEADER, (text) => ids.decode('User', text), filled('v', 'a', '')],
  ['a date', TEXT, parseDate, filled('2026-01-01T00:00:00.', '0', 'x')],
  ['an e-mail address', TEXT, EMAIL.test, filled('', 'a.', '@example.com')],
  ['domains of an e-mail address', TEXT, EMAIL.test, filled('a@', 'a.', 'com')],
  ['angles of an e-mail address', TEXT, EMAIL.test, filled('', '<', 'a@example.com>')],
  ['a URL', TEXT, URL_FORMAT.test, filled('http://', 'a.', '')],
  ['slashes of a URL', TEXT, URL_FORMAT.test, filled('http:', '/', '')],
  ['colons of a URL', TEXT, URL_FORMAT.test, filled('http://', 'a:', '@b')],
  ['a username', TEXT, USERNAME.test, filled('', 'a', ' ')],
  ['ligatures', NAME, fold, filled('', '\ufdfa', '')],
  ['marks', NAME, fold, filled('a', '\u0300\u0323', '')],
  ['initials', TEXT, initialsOf, filled('', ' .', '')],
  ['a filename', TEXT, extensionOf, filled('', 'a.', '')],
  ['blanks of a filename', TEXT, faultOfFilename, filled('a', ' ', 'a.png')],
  ['a schedule', TEXT, SCHEDULE.test, filled('', '*,', '')],
  ['lists of a schedule', TEXT, SCHEDULE.test, filled('* * * ', 'JAN,', ' x')],
  ['a time zone', TEXT, isTimeZone, filled('A', '/a', ' ')],
];

/** The least of some tries, in milliseconds of the processor: whatever else the machine does only adds. */
function milliseconds(read: Read, text: string, enough: number): number {
  let least = Infinity;
  for (let i = 0; i < 5 && least > enough; i++) {
    const began = process.cpuUsage();
    try {
      read(text);
    } catch {
      // It may refuse the text; that takes time as well.
    }
    // Both: which of them a moment counts for, the kernel only estimates.
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** What a plain pass over a MiB takes here, in milliseconds. */
function plainPass(): number {
  const text = filled('', 'ab', '')(MIB);
  const count: Read = (given) => {
    let found = 0;
    for (let at = 0; at < given.length; at++) if (given.charCodeAt(at) === 0x61) found++;
    return found;
  };
  return milliseconds(() => times(10, () => count(text)), text, 0) / 10;
}

/**
 * Whether reading takes about as long as some passes over the text, at any length. From short texts on to the longest, so
 * that one that grows with the square ends the test when it shows, and not after an hour.
 */
function isLinear(read: Read, text: (size: number) => string, most: number): boolean {
  const passes = (PASSES_OF.get(read) ?? PASSES) * plainPass();
  for (let size = most / 64; size <= most; size *= 2) {
    const allowed = Math.max(NOISE_MS, (passes * size) / MIB);
    if (milliseconds(read, text(size), allowed) > allowed) return false;
  }
  return true;
}

describe('what comes from outside is read in few passes over it', () => {
  it.each(READERS)('%s', (_name, most, read, text) => {
    expect(isLinear(read, text, most)).toBe(true);
  });

  it.each<[string, Read, (size: number) => string]>([
    ['backtracks', (text) => /(?:^|x)\d+$|\d+\.$/.exec(text), filled('', '1', 'x')],
    ['begins anew in each row', (text) => /\p{M}{31}/u.test(text), filled('', `a${'\u0301'.repeat(30)}`, '')],
    ['lists what is refused', (text) => Object.entries(JSON.parse(text) as object), filled('[', '1,', '1]')],
  ])('tells one that %s', (_name, read, text) => {
    expect(isLinear(read, text, MIB)).toBe(false);
  });
});
