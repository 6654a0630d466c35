import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseDate } from './dates.js';

describe('parseDate', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:34Z', '2026-01-31T12:34:00.000Z'],
    ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31T12:34:56.7Z', '2026-01-31T12:34:56.700Z'],
    ['2026-01-31T12:34:56.78Z', '2026-01-31T12:34:56.780Z'],
    ['2026-01-31T12:34:56.789Z', '2026-01-31T12:34:56.789Z'],
    ['2026-01-31T12:34:56.789999999Z', '2026-01-31T12:34:56.789Z'],
    ['2026-01-31T12:34:56+02:00', '2026-01-31T10:34:56.000Z'],
    ['2026-01-31T23:30:00-05:30', '2026-02-01T05:00:00.000Z'],
    ['2026-01-31T00:00:00+14:00', '2026-01-30T10:00:00.000Z'],
    ['2026-01-31T00:00:00-00:00', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (text, expected) => expect(parseDate(text)).toBe(expected));

  it.each([
    [
      'no day of that month',
      ['2026-02-29', '2026-02-30', '2026-04-31', '1900-02-29', '2026-01-32', '2026-01-00'],
    ],
    ['no month', ['2026-00-10', '2026-13-01']],
    [
      'no time of day',
      ['2026-01-01T24:00:00Z', '2026-01-01T23:60:00Z', '2026-01-01T23:59:60Z', '2026-01-01T25:00Z'],
    ],
    ['no zone', ['2026-01-01T10:00:00', '2026-01-01T10:00', '2026-01-01T10:00:00.000']],
    [
      'a zone that is none',
      [
        '2026-01-01T10:00:00+15:00',
        '2026-01-01T10:00:00+01:60',
        '2026-01-01T10:00:00+1',
        '2026-01-01T10:00:00+0100',
        '2026-01-01T10:00:00CET',
      ],
    ],
    [
      'a year beyond four digits',
      ['0000-01-01', '10000-01-01', '+002026-01-01', '-000001-01-01', '26-01-01'],
    ],
    ['out of the years by its offset', ['9999-12-31T23:59:59-00:01', '0001-01-01T00:00:00+00:01']],
    [
      'another notation',
      [
        '',
        ' ',
        '2026',
        '2026-01',
        '2026-1-1',
        '20260101',
        '01/02/2026',
        '2026-W01',
        '2026-001',
        '1700000000',
        'now',
        'null',
        '2026-01-01 10:00:00Z',
        '2026-01-01t10:00:00z',
        '2026-01-01T10Z',
        '2026-01-01T10:00:00,5Z',
        '2026-01-01T10:00:00.Z',
        '2026-01-01T10:00:00.1234567890Z',
      ],
    ],
    [
      'something around it',
      [' 2026-01-01', '2026-01-01 ', '2026-01-01\n', '\n2026-01-01', '2026-01-01Z', '٢٠٢٦-٠١-٠١'],
    ],
  ])('refuses %s', (_, texts) => {
    for (const text of texts) expect([text, parseDate(text)]).toEqual([text, null]);
  });

  it('is the identity on what JavaScript writes', () => {
    const dates = fc.date({
      min: new Date('0001-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        const text = date.toISOString();
        expect(parseDate(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('means the same instant in every zone', () => {
    const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const two = (n: number) => String(n).padStart(2, '0');
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        expect(parseDate(local + zone)).toBe(date.toISOString());
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws, and what it reads it reads again', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/)),
        (text) => {
          const parsed = parseDate(text);
          if (parsed !== null) expect(parseDate(parsed)).toBe(parsed);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
