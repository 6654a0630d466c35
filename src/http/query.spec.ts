import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../common/errors.js';
import { MAX_PARAMETERS, parseQuery } from './query.js';

const entries = (raw: string) => [...parseQuery(raw)];

describe('parseQuery', () => {
  it.each<[string, [string, string[]][]]>([
    ['', []],
    ['a', [['a', ['']]]],
    ['a=', [['a', ['']]]],
    ['=b', [['', ['b']]]],
    ['a=b=c', [['a', ['b=c']]]],
    ['&&a=1&', [['a', ['1']]]],
    [
      'a=1&b=2&a=3',
      [
        ['a', ['1', '3']],
        ['b', ['2']],
      ],
    ],
    ['a+b=c+d%2B', [['a b', ['c d+']]]],
    ['a=%F0%9F%98%80', [['a', ['😀']]]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', ['1']],
        ['constructor', ['2']],
      ],
    ],
    ['a[b]=1;c=2', [['a[b]', ['1;c=2']]]],
  ])('reads %j', (raw, expected) => {
    expect(entries(raw)).toEqual(expected);
  });

  it.each(['%', 'a=%', 'a=%zz', 'a=%E0%A4%A', '%ff', 'a=%00', 'a=%C0%80', 'a=%ED%A0%80', 'a=\ud800'])(
    'refuses %j',
    (raw) => {
      expect(() => parseQuery(raw)).toThrow(expect.objectContaining({ code: 400 }));
    },
  );

  it('refuses more parameters than the bound, and takes as many', () => {
    expect(parseQuery('a&'.repeat(MAX_PARAMETERS)).get('a')).toHaveLength(MAX_PARAMETERS);
    expect(() => parseQuery('a&'.repeat(MAX_PARAMETERS + 1))).toThrow(ApiError);
  });

  it('reads what URLSearchParams writes', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    const pairs = fc.array(fc.tuple(text, text), { maxLength: 20 });
    fc.assert(
      fc.property(pairs, (given) => {
        const expected = new Map<string, string[]>();
        for (const [name, value] of given) expected.set(name, [...(expected.get(name) ?? []), value]);
        expect(parseQuery(new URLSearchParams(given).toString())).toEqual(expected);
      }),
    );
  });
});
