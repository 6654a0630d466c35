import { createCipheriv, hkdfSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import Sqids from 'sqids';
import { Ids } from './ids.js';

const SECRET = 'a secret for this test, of 32 characters';
const MAX = 2n ** 63n - 1n;
const ids = new Ids(SECRET);
const rowIds = fc.oneof(
  fc.bigInt({ min: 1n, max: MAX }),
  fc.bigInt({ min: 1n, max: 1000n }),
  fc.constantFrom(1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, MAX),
);
const kinds = fc.constantFrom('User', 'APIKey', 'Thing', 'X');

/** The id as docs/decisions/0001 describes it, by the Sqids library itself. */
function reference(kind: string, id: bigint): string {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', `kindred/id/${kind}`, 16));
  const plain = Buffer.alloc(16);
  plain.writeBigUInt64BE(id, 8);
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  const block = Buffer.concat([cipher.update(plain), cipher.final()]);
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  const sqids = new Sqids({ alphabet, blocklist: new Set() });
  return 'v' + sqids.encode([0, 4, 8, 12].map((at) => block.readUInt32BE(at)));
}

describe('Ids', () => {
  it('writes the text that the Sqids library writes for the same block', () => {
    fc.assert(
      fc.property(kinds, rowIds, (kind, id) => {
        expect(ids.encode(kind, id.toString())).toBe(reference(kind, id));
      }),
      { numRuns: 500 },
    );
  });

  it('reads back every id of the 64-bit range', () => {
    fc.assert(
      fc.property(kinds, rowIds, (kind, id) => {
        const text = ids.encode(kind, id.toString());
        expect(text).toMatch(/^v[A-Za-z0-9]{8,28}$/);
        expect(ids.decode(kind, text)).toBe(id.toString());
      }),
      { numRuns: 500 },
    );
  });

  it('writes a page as it writes one', () => {
    const page = Array.from({ length: 100 }, (_, i) => String(i * i + 1));
    expect(ids.encodeAll('User', page)).toEqual(page.map((id) => ids.encode('User', id)));
    expect(ids.encodeAll('User', [])).toEqual([]);
  });

  it('writes remembered ids as it writes others, of each kind its own', () => {
    for (const kind of ['User', 'Thing']) {
      for (let start = 1; start < 12_000; start += 900) {
        const some = Array.from({ length: 1000 }, (_, i) => String(start + i));
        expect(ids.encodeNamed(kind, [...some, '7', '7'])).toEqual(ids.encodeAll(kind, [...some, '7', '7']));
      }
    }
    expect(ids.encodeNamed('User', [])).toEqual([]);
  });

  it('is stable: the same secret gives the same ids in another process', () => {
    expect(new Ids(SECRET).encode('User', '42')).toBe(ids.encode('User', '42'));
  });

  it('has no id in common between kinds or secrets', () => {
    const other = new Ids(`${SECRET}.`);
    fc.assert(
      fc.property(rowIds, (id) => {
        const text = ids.encode('User', id.toString());
        expect(ids.encode('APIKey', id.toString())).not.toBe(text);
        expect(other.encode('User', id.toString())).not.toBe(text);
        for (const kind of ['APIKey', 'user', 'Use', 'Users', '']) expect(ids.decode(kind, text)).toBeNull();
        expect(other.decode('User', text)).toBeNull();
      }),
    );
  });

  it('refuses an id with any character changed, added or taken away', () => {
    const characters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
    fc.assert(
      fc.property(rowIds, fc.nat(40), characters, (id, place, character) => {
        const text = ids.encode('User', id.toString());
        const at = place % text.length;
        for (const changed of [
          text.slice(0, at) + character + text.slice(at + 1),
          text.slice(0, at) + character + text.slice(at),
          text.slice(0, at) + text.slice(at + 1),
          text.toLowerCase(),
          text.toUpperCase(),
        ]) {
          if (changed !== text) expect([changed, ids.decode('User', changed)]).toEqual([changed, null]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuses texts that are no ids, however they look', () => {
    const text = ids.encode('User', '7');
    const odd = [
      '',
      'v',
      '7',
      'null',
      'v7',
      text.slice(1),
      ` ${text}`,
      `${text} `,
      `${text}\n`,
      `${text}=`,
      `v${text}`,
    ];
    for (const one of [
      ...odd,
      'v'.repeat(29),
      `v${'a'.repeat(28)}`,
      'v'.repeat(10_000),
      'vé'.repeat(9),
      '../etc',
    ]) {
      expect([one, ids.decode('User', one)]).toEqual([one, null]);
    }
    fc.assert(
      fc.property(fc.stringMatching(/^v[a-zA-Z0-9]{8,28}$/), (made) => {
        expect(ids.decode('User', made)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses other spellings of the same numbers', () => {
    const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const library = new Sqids({ alphabet, blocklist: new Set() });
    const text = ids.encode('User', '12345');
    const numbers = library.decode(text.slice(1));
    // With a minimum length the library spells the same numbers in another way.
    const longer = new Sqids({ alphabet, blocklist: new Set(), minLength: 28 });
    const blocked = new Sqids({ alphabet, blocklist: new Set([text.slice(1, 8).toLowerCase()]) });
    for (const spelling of [longer.encode(numbers), blocked.encode(numbers)]) {
      if (`v${spelling}` === text) continue;
      expect(ids.decode('User', `v${spelling}`)).toBeNull();
    }
    expect(ids.decode('User', text)).toBe('12345');
  });

  it('refuses blocks whose integer is no row id', () => {
    for (const id of ['0', (2n ** 63n).toString(), (2n ** 64n - 1n).toString()]) {
      expect([id, ids.decode('User', ids.encode('User', id))]).toEqual([id, null]);
    }
  });

  it('shows nothing of the integer: fifty neighbours have nothing in common', () => {
    const texts = Array.from({ length: 50 }, (_, i) => ids.encode('User', String(i + 1)).slice(1));
    expect(new Set(texts).size).toBe(50);
    const shared = (a: string, b: string) => {
      let n = 0;
      while (n < a.length && a[n] === b[n]) n++;
      return n;
    };
    const reversed = texts.map((text) => Array.from(text).reverse().join(''));
    for (const list of [texts, reversed]) {
      list.forEach((a, i) =>
        list.slice(i + 1).forEach((b) => expect([a, b, shared(a, b) < 5]).toEqual([a, b, true])),
      );
    }
    for (let at = 0; at < 15; at++) expect(new Set(texts.map((text) => text[at])).size).toBeGreaterThan(15);
    // Neither their order nor their length follows the integers.
    const rising = texts.filter((text, i) => i > 0 && text > (texts[i - 1] ?? '')).length;
    expect(rising).toBeGreaterThan(12);
    expect(rising).toBeLessThan(37);
  });
});
