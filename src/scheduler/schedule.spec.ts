import { describe, expect, it } from '@jest/globals';
import { nextTick, SCHEDULE, TIME_ZONE } from './schedule.js';

/** The next `n` ticks. */
function ticks(schedule: string, zone: string, after: string, n: number): (string | null)[] {
  const found: (string | null)[] = [];
  let from: string | null = new Date(after).toISOString();
  for (let i = 0; i < n && from !== null; i++) {
    from = nextTick(schedule, zone, from);
    found.push(from === null ? null : from.replace(':00.000Z', 'Z'));
  }
  return found;
}

describe('clocks put forward run what the gap left out once, after it', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T22:00Z', '30 2 * * *', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['Europe/Berlin', '2026-03-28T22:00Z', '0,30 2 * * *', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['Europe/Berlin', '2026-03-28T22:00Z', '* 2 * * *', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['Europe/Berlin', '2026-03-28T22:00Z', '0 2,3 * * *', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['America/New_York', '2026-03-08T06:58Z', '30 2 * * *', ['2026-03-08T07:00Z', '2026-03-09T06:30Z']],
    ['America/New_York', '2026-03-08T06:58Z', '0 3 * * *', ['2026-03-08T07:00Z', '2026-03-09T07:00Z']],
    ['America/New_York', '2026-03-08T07:00Z', '30 2 * * *', ['2026-03-09T06:30Z']],
    ['Australia/Lord_Howe', '2026-10-03T14:00Z', '10 2 * * *', ['2026-10-03T15:30Z', '2026-10-04T15:10Z']],
    ['Australia/Lord_Howe', '2026-10-03T14:00Z', '45 2 * * *', ['2026-10-03T15:45Z', '2026-10-04T15:45Z']],
    ['Europe/Berlin', '2026-03-28T23:30Z', '15 */2 * * *', ['2026-03-29T01:00Z', '2026-03-29T02:15Z']],
  ])('%s from %s: %s', (zone, after, schedule, expected) => {
    expect(ticks(schedule, zone, after, expected.length)).toEqual(expected);
  });
});

describe('clocks put back run the repeated hour once', () => {
  it.each([
    ['Europe/Berlin', '2026-10-24T22:00Z', '30 2 * * *', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['Europe/Berlin', '2026-10-25T00:45Z', '30 2 * * *', ['2026-10-26T01:30Z']],
    ['Europe/Berlin', '2026-10-25T01:10Z', '30 2 * * *', ['2026-10-26T01:30Z']],
    ['Europe/Berlin', '2026-10-25T00:57Z', '*/2 2 * * *', ['2026-10-25T00:58Z', '2026-10-26T01:00Z']],
    [
      'America/New_York',
      '2026-11-01T04:00Z',
      '30 0-2 * * *',
      ['2026-11-01T04:30Z', '2026-11-01T05:30Z', '2026-11-01T07:30Z'],
    ],
    ['Europe/Berlin', '2026-10-24T23:00Z', '15 */2 * * *', ['2026-10-25T00:15Z', '2026-10-25T03:15Z']],
    ['Australia/Lord_Howe', '2026-04-04T13:00Z', '45 1 * * *', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
    ['Australia/Lord_Howe', '2026-04-04T13:00Z', '15 2 * * *', ['2026-04-04T15:45Z', '2026-04-05T15:45Z']],
  ])('%s from %s: %s', (zone, after, schedule, expected) => {
    expect(ticks(schedule, zone, after, expected.length)).toEqual(expected);
  });
});

describe('a schedule for every hour goes by elapsed time', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T23:30:00Z'],
    ['Europe/Berlin', '2026-10-24T23:30:00Z'],
    ['America/New_York', '2026-03-08T05:30:00Z'],
    ['America/New_York', '2026-11-01T04:30:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T14:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T13:30:00Z'],
  ])('%s from %s: */15 * * * * is due every 15 minutes', (zone, after) => {
    const found = ticks('*/15 * * * *', zone, after, 16).map((text) => Date.parse(text ?? ''));
    const gaps = found.slice(1).map((time, i) => (time - (found[i] ?? 0)) / 60_000);
    expect(gaps).toEqual(Array.from({ length: 15 }, () => 15));
  });

  it.each([
    '@hourly',
    '@HOURLY',
    '0 * * * *',
    '0 */1 * * *',
    '0 0-23 * * *',
    '0 *,* * * *',
    '0 00-23,5 * * *',
    '0 0-12,12-23 * * *',
    '0,0 1,*/1 * * *',
  ])('%s is due in both hours of an overlap', (text) => {
    expect(ticks(text, 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
    ]);
  });
});

describe('dates', () => {
  it.each(['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *'])(
    '%s never comes, and that is found at once',
    (schedule) => {
      const start = performance.now();
      expect(nextTick(schedule, 'Europe/Berlin', '2026-11-28T00:00:00.000Z')).toBeNull();
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );

  it('the 29th of February comes, also after 2096, when it takes eight years', () => {
    expect(ticks('0 0 29 2 *', 'UTC', '2026-11-28T00:00Z', 2)).toEqual([
      '2028-02-29T00:00Z',
      '2032-02-29T00:00Z',
    ]);
    expect(ticks('0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', 1)).toEqual(['2104-02-29T00:00Z']);
  });

  it('day of month or day of week will do when both are given', () => {
    expect(ticks('0 12 13 * FRI', 'UTC', '2026-12-11T12:00Z', 2)).toEqual([
      '2026-12-13T12:00Z',
      '2026-12-18T12:00Z',
    ]);
  });

  it('is strictly after: the tick itself and its last millisecond', () => {
    expect(nextTick('* * * * *', 'UTC', '2026-01-01T00:00:00.000Z')).toBe('2026-01-01T00:01:00.000Z');
    expect(nextTick('* * * * *', 'UTC', '2026-01-01T00:00:59.999Z')).toBe('2026-01-01T00:01:00.000Z');
    expect(nextTick('5 4 * * *', 'UTC', '2026-01-01T04:05:00.000Z')).toBe('2026-01-02T04:05:00.000Z');
  });
});

describe('the form', () => {
  it.each(['* * * * *', '*/5 0-23/2 1,15 JAN-MAR mon-fri', '@daily', '@HOURLY', '0 0 * * 7'])(
    '%s is one',
    (text) => {
      expect(SCHEDULE.test(text)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '* * * *',
    '* * * * * *',
    '@reboot',
    '@every 5m',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '1, * * * *',
    'L * * * *',
    '0 0 L * *',
    '0 0 1W * *',
    '0 0 * * 5#2',
    '0 0 ? * *',
    'H * * * *',
    ' * * * * *',
    '* * * * * ',
    '*  * * * *',
    '*\t* * * *',
    '*\u00a0* * * *',
    '@hourly ',
    ' @hourly',
    '@hourly @daily',
    '** * * * *',
    '1,,2 * * * *',
    '1-2-3 * * * *',
    '*/5/5 * * * *',
    '0 0 * JANFEB *',
    '* * * * *\n',
    '0 0 * * FOO',
    'garbage',
    '-1 * * * *',
    '1.5 * * * *',
  ])('%j is none', (text) => {
    expect(SCHEDULE.test(text)).toBe(false);
    expect(nextTick(text, 'UTC', '2026-01-01T00:00:00.000Z')).toBeNull();
  });

  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    '%s is a time zone',
    (zone) => {
      expect(TIME_ZONE.test(zone)).toBe(true);
    },
  );

  it.each([
    '',
    '+02:00',
    'Berlin',
    'Europe/Atlantis',
    'UTC ',
    ' UTC',
    '\tUTC',
    'UTC\n',
    'UTC UTC',
    'Europe/ Berlin',
    'Europe//Berlin',
    'Europe/Berlin/',
    'UTC\u200b',
    '__proto__',
    '../UTC',
    'Europe/Berlin\0',
  ])('%j is none', (zone) => {
    expect(TIME_ZONE.test(zone)).toBe(false);
    expect(nextTick('* * * * *', zone, '2026-01-01T00:00:00.000Z')).toBeNull();
  });
});
