import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMAIL, fold, type Format, URL_FORMAT, USERNAME } from './formats.js';

function check(format: Format, good: readonly string[], bad: readonly string[]): void {
  for (const text of good) expect([text, format.test(text)]).toEqual([text, true]);
  for (const text of bad) expect([text, format.test(text)]).toEqual([text, false]);
}

describe('EMAIL', () => {
  it('takes addresses and nothing else', () => {
    check(
      EMAIL,
      [
        'a@b.co',
        'first.last+tag@sub.example.org',
        "o'hara@example.org",
        'x@xn--bcher-kva.example',
        'A@EXAMPLE.ORG',
      ],
      [
        '',
        'a',
        '@',
        'a@',
        '@b.co',
        'a@b',
        'a b@c.de',
        'a@b c.de',
        'a@b..co',
        '.a@b.co',
        'a@b.co.',
        'a@@b.co',
      ],
    );
  });

  it('takes nothing invisible, and nothing around an address', () => {
    const included = [' ', '\n', '\t', '\u00a0', '\u200b', '\u202e', '\u0000', '\ufeff', '\u2028'];
    check(
      EMAIL,
      ['ab@c.de'],
      included.flatMap((c) => [`${c}ab@c.de`, `ab@c.de${c}`, `a${c}b@c.de`, `ab@c${c}c.de`]),
    );
    check(EMAIL, [], ['Name <a@b.co>', 'a@b.co, c@d.co', 'a@b.co\nBcc: c@d.co', 'mailto:a@b.co']);
  });
});

describe('URL_FORMAT', () => {
  it('takes absolute http and https URLs alone', () => {
    check(
      URL_FORMAT,
      [
        'http://a.test',
        'https://a.test/b?c=d#e',
        'http://localhost:3000/x',
        'http://127.0.0.1/',
        'https://a.test:8443',
      ],
      [
        '',
        'a.test',
        '//a.test',
        '/a',
        'ftp://a.test',
        'javascript:alert(1)',
        'JavaScript:alert(1)//http://a.test',
        'data:text/html,x',
        'file:///etc/passwd',
        'http://',
        'http:// a.test',
        'http://a.test/ b',
        ' http://a.test',
        'http://a.test\n',
        'mailto:a@b.co',
      ],
    );
  });
});

describe('USERNAME', () => {
  it('takes letters of one alphabet, digits, dots, hyphens and underscores', () => {
    check(
      USERNAME,
      [
        'a',
        'Ada_Lovelace',
        'x.y-z',
        '1337',
        'Ärger',
        'naïve',
        'иван',
        'νίκος',
        'محمد',
        'さくら',
        '王小明',
        'ünï2',
      ],
      [
        '',
        ' ',
        'a b',
        'a\u00a0b',
        'a@b',
        'a@b.co',
        'a/b',
        'a:b',
        'a\nb',
        'a\u200bb',
        'a\u202eb',
        'a\u0000b',
        'a\u00adb',
        'a\ufe0fb',
        '😀',
        '<b>',
        "o'hara",
      ],
    );
  });

  it('mixes no alphabets, also not in compatibility forms', () => {
    check(USERNAME, [], ['аdmin', 'admіn', 'αdmin', 'pаypal', 'adminא', 'mіхed']);
    // Full-width Latin is Latin: it folds to the same name and so can't stand beside it.
    expect(fold('ａｄｍｉｎ')).toBe('admin');
  });
});

describe('fold', () => {
  it.each([
    ['Ärger', 'ärger'],
    ['A\u0308rger', 'ärger'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'strasse'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ﬁne', 'FINE'],
    ['ſet', 'Set'],
    ['Ⅷ', 'viii'],
    ['ＡＢＣ', 'abc'],
    ['K', 'k'], // KELVIN SIGN
    ['Å', 'å'], // ANGSTROM SIGN
  ])('holds %s and %s for the same', (a, b) => expect(fold(a)).toBe(fold(b)));

  it.each([
    ['a', 'b'],
    ['a', 'ä'],
    ['o', '0'],
    ['a', 'а'],
    ['i', 'l'],
    ['rn', 'm'],
    ['a.b', 'ab'],
  ])('keeps %s and %s apart', (a, b) => expect(fold(a)).not.toBe(fold(b)));

  it('is settled after one go, and blind to case and Unicode form', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(texts, (text) => {
        const folded = fold(text);
        expect(fold(folded)).toBe(folded);
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(fold(text.normalize(form))).toBe(folded);
        expect(fold(text.toLowerCase())).toBe(folded);
        expect(fold(text.toUpperCase())).toBe(folded);
      }),
      { numRuns: 2000, seed: 20_261_127 },
    );
  });

  it('is settled, and blind to case, for every single character', () => {
    const odd: string[] = [];
    for (let code = 1; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const text = String.fromCodePoint(code);
      const folded = fold(text);
      if (
        fold(folded) !== folded ||
        fold(text.toUpperCase()) !== folded ||
        fold(text.toLowerCase()) !== folded
      ) {
        odd.push(code.toString(16));
      }
    }
    expect(odd).toEqual([]);
  });
});
