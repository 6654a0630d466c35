import { expect, it } from '@jest/globals';
import { entityTags, matchesNone } from './conditional.js';

const listed = (header: string) => {
  const tags = entityTags(header);
  return tags === '*' ? tags : tags.map(({ weak, opaque }) => (weak ? `W/${opaque}` : opaque));
};

it.each([
  ['"a"', ['a']],
  ['W/"a"', ['W/a']],
  ['"a","b"', ['a', 'b']],
  [' ,, "a,b" ,\tW/"" , "W/c"', ['a,b', 'W/', 'W/c']],
  ['*', '*'],
  [' * ', '*'],
  ['', []],
  ['a', []],
  ['w/"a"', []],
  ['"a" "b"', []],
  ['"a", b, "c"', ['a']],
  ['"a', []],
  ['"*"', ['*']],
  ['*, "a"', []],
])('of %j the tags %j are read', (header, tags) => {
  expect(listed(header)).toEqual(tags);
});

it('compares weakly', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '*']) {
    for (const etag of ['"a"', 'W/"a"']) expect([header, matchesNone(header, etag)]).toEqual([header, true]);
  }
  for (const header of [undefined, '', '"b"', 'a']) expect(matchesNone(header, '"a"')).toBe(false);
});
