import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseBody } from './body-parser.js';
import { MAX_DEPTH, MAX_NODES } from './json-text.js';

const parse = (text: string) => parseBody(Buffer.from(text));
const refusal = (text: string | Buffer): { code: number; message: string } => {
  try {
    parseBody(Buffer.from(text));
  } catch (error) {
    return error as { code: number; message: string };
  }
  throw new Error('was taken');
};
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('parseBody', () => {
  it('takes no number of more than 400 characters, whatever its value', () => {
    expect(parse(`{"a":0.${'1'.repeat(398)}}`)).toEqual({ a: 1 / 9 });
    for (const number of [`0.${'1'.repeat(399)}`, `1.${'0'.repeat(400)}`, `1${'0'.repeat(400)}`]) {
      expect(refusal(`{"a":${number}}`)).toMatchObject({ code: 442, data: 'a' });
    }
  });

  it('gives what JSON.parse gives for any clean object', () => {
    const clean = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__' && !key.includes('\0')),
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(fc.nat()),
      ),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(clean, (object) => {
        const text = JSON.stringify(object);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('bounds depth and size', () => {
    expect(() => parse(nested(MAX_DEPTH))).not.toThrow();
    expect(refusal(nested(MAX_DEPTH + 1))).toMatchObject({
      code: 400,
      message: expect.stringContaining('a is nested'),
    });
    expect(refusal(`{"a":[${'1,'.repeat(MAX_NODES)}1]}`).code).toBe(400);
  });

  it.each(['{"a":"\\u0000"}', '{"a":{"b":["\\ud800"]}}', '{"a":{"\\udc00":1}}'])(
    'names the key of %s',
    (text) => {
      expect(refusal(text)).toMatchObject({ code: 400, message: expect.stringMatching(/^a holds/) });
    },
  );

  it('does not repeat what it complains about', () => {
    expect(refusal('{"a\\u0000b":1}').message).toMatch(/^a\uFFFDb holds/);
    expect(refusal(`{"${'k'.repeat(5000)}":"\\u0000"}`).message.length).toBeLessThan(150);
    expect(refusal('{"secret":"s3cr3t"').message).not.toContain('s3cr3t');
  });

  it('takes surrogate pairs, and any key but __proto__', () => {
    expect(parse('{"constructor":1,"prototype":{"toString":null},"a":"\\ud83d\\ude00"}')).toMatchObject({
      a: '😀',
    });
    expect(refusal('{"a":{"__proto__":null}}').code).toBe(400);
  });

  it('tells an empty body from a broken one', () => {
    expect(refusal('')).toMatchObject({ code: 441, data: null });
    expect(refusal(' ').code).toBe(400);
    expect(refusal(Buffer.from([0xef, 0xbb, 0xbf])).code).toBe(400);
  });

  it('counts commas in strings, empty lists and blanks for nothing', () => {
    expect(() => parse(`{"a":"${',['.repeat(MAX_NODES)}"}`)).not.toThrow();
    expect(() => parse(`{"a":[${'[ ] ,'.repeat(MAX_NODES - 2)}1]}`)).not.toThrow();
    expect(refusal(`{"a":[${'[ ] ,'.repeat(MAX_NODES - 1)}1]}`).code).toBe(400);
  });

  const size = 1024 * 1024;
  it.each([
    ['elements', `{"a":[${'1,'.repeat(size / 2)}1]}`],
    ['empty lists', `{"a":[${'[],'.repeat(size / 3)}1]}`],
    ['members', `{${'"a":1,'.repeat(size / 6)}"b":1}`],
    ['lists in lists', `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`],
    ['objects in objects', '{"a":'.repeat(size / 5)],
    ['lists alone', '['.repeat(size)],
  ])('refuses a MiB of %s before any of it is parsed', (_name, text) => {
    const parsed = jest.spyOn(JSON, 'parse');
    try {
      expect(refusal(text).code).toBe(400);
      expect(parsed.mock.calls.filter(([given]) => given.length > 100)).toEqual([]);
    } finally {
      parsed.mockRestore();
    }
  });
});
