import { describe, expect, it } from '@jest/globals';
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
import { crossSite } from '../auth/same-site.js';

const MIB = 1024 * 1024;
const HEADER = HTTP_LIMITS.headerBytes;
const TEXT = 65_535;
/** Names are short; ordering many marks takes ICU the square of their number. */
const NAME = 512;
/** A test for the text itself: it takes milliseconds where time grows with the length, whatever the machine does. */
const NOTHING_MS = 250;
const ids = new Ids('a secret for tests alone, 32 characters');

/** `piece` again and again, up to `size` characters, between a head and a tail. */
const filled = (head: string, piece: string, tail: string) => (size: number) =>
  head + piece.repeat(Math.max(1, Math.floor((size - head.length - tail.length) / piece.length))) + tail;

type Read = (text: string) => unknown;
const body: Read = (text) => parseBody(Buffer.from(text));
/** As a text prop and a login read it: in its one form, folded. */
const bodyThenProp: Read = (text) => fold(oneForm(String(parseBody(Buffer.from(text)).a)));
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
  ['one member again and again', MIB, body, filled('{"a":[0', ',{"a":0}', ']}')],
  ['blanks', MIB, body, filled('{"a":1', ' ', '}')],
  ['surrogates', MIB, body, filled('{"a":"', '😀', '\\ud800"}')],
  ['marks in a body', MIB, bodyThenProp, filled('{"a":"a', '\u0300\u0323', '"}')],
  ['halfwidth marks', MIB, bodyThenProp, filled('{"a":"a', '\u0301\uFF9E', '"}')],
  ['marks in rows', MIB, bodyThenProp, filled('{"a":"', `a${'\u0300\u0323'.repeat(15)}`, '"}')],
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

/** The least of some tries: whatever else the machine does only adds. */
function milliseconds(read: Read, text: string, tries: number): number {
  let least = Infinity;
  for (let i = 0; i < tries; i++) {
    const began = process.cpuUsage();
    try {
      read(text);
    } catch {
      // It may refuse the text; that takes time as well.
    }
    least = Math.min(least, process.cpuUsage(began).user / 1000);
    if (least < NOTHING_MS / 4) return least;
  }
  return least;
}

/**
 * Whether the time of reading grows with the length, at most a little faster. From short texts on to the longest, so that
 * one that grows with the square ends the test when it shows, and not after an hour.
 */
function isLinear(read: Read, text: (size: number) => string, most: number): boolean {
  let before = 0;
  for (let size = most / 64; size <= most; size *= 2) {
    const took = milliseconds(read, text(size), 3);
    if (took > NOTHING_MS && took > 3.3 * before) return false;
    before = Math.max(took, NOTHING_MS / 3);
  }
  return true;
}

describe('what comes from outside is read in time that grows with its length', () => {
  it.each(READERS)('%s', (_name, most, read, text) => {
    expect(isLinear(read, text, most)).toBe(true);
  });

  it('tells an expression that backtracks', () => {
    expect(isLinear((text) => /(?:^|x)\d+$|\d+\.$/.exec(text), filled('', '1', 'x'), MIB)).toBe(false);
  });
});
