import { Cron } from 'croner';
import type { Format } from '../record/schema/formats.js';
import { instantOf, isTimeZone, wallTimeOf } from './wall-time.js';

const FIELD = '[\\d*,/-]+';
const MONTH = '(?:[\\d*,/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+';
const WEEKDAY = '(?:[\\d*,/-]|SUN|MON|TUE|WED|THU|FRI|SAT)+';
const NAME = '@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)';
/** Five fields or a name. The library's extensions (`L`, `W`, `#`, `?`, seconds) are not supported. */
const SHAPE = new RegExp(`^(?:${NAME}|${FIELD} ${FIELD} ${FIELD} ${MONTH} ${WEEKDAY})$`, 'i');
/** More than any clock change, except for moves of the date line. */
const LARGEST_SHIFT = 3 * 3_600_000;
const MAX_PATTERNS = 2000;

/** A case-insensitive pattern without the flag `i`. Letters after a backslash stay as they are. */
function inEitherCase(pattern: string): string {
  return pattern.replace(/\\.|[a-z]/gi, (one) =>
    one.length > 1 ? one : `[${one.toUpperCase()}${one.toLowerCase()}]`,
  );
}

/** The syntax of a cron expression. {@link nextTick} finds out whether it is ever due. */
export const SCHEDULE: Format = {
  rule: 'five cron fields, such as "30 2 * * MON-FRI", or a name, such as @hourly',
  name: 'schedule',
  example: '30 2 * * MON-FRI',
  pattern: `^(?:${inEitherCase(NAME)}|${FIELD} ${FIELD} ${FIELD} ${inEitherCase(MONTH)} ${inEitherCase(WEEKDAY)})$`,
  test: (text) => SHAPE.test(text) && parsed(text, 'UTC') !== null,
};

/** An IANA time zone name. */
export const TIME_ZONE: Format = {
  rule: 'the name of an IANA time zone, such as Europe/Berlin',
  name: 'timezone',
  example: 'Europe/Berlin',
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  test: isTimeZone,
};

/**
 * The first instant strictly after `after` at which `schedule` is due on the wall clock of `timezone`. null if it never
 * is, or if one of the two is invalid.
 *
 * When clocks go forward, ticks in the skipped hour are due right after the gap. When they go back, ticks in the repeated
 * hour are due only the first time. A schedule for every hour (`*` as its hour) counts elapsed time instead: its ticks
 * stay as far apart as on any other day.
 * @param after ISO date-time; so is the result
 */
export function nextTick(schedule: string, timezone: string, after: string): string | null {
  if (!SHAPE.test(schedule) || !isTimeZone(timezone)) return null;
  const from = Date.parse(after);
  const next = isHourly(schedule)
    ? byElapsedTime(schedule, timezone, from)
    : byWallTime(schedule, timezone, from);
  return next === null ? null : new Date(next).toISOString();
}

const hourly = new Map<string, boolean>();

/** Whether it is due in every hour, written as a star, a range or a list. */
function isHourly(schedule: string): boolean {
  if (schedule.startsWith('@')) return schedule.toLowerCase() === '@hourly';
  const hours = schedule.split(' ')[1] ?? '';
  let known = hourly.get(hours);
  if (known === undefined) {
    const day = Date.UTC(2000, 0, 1);
    const last = parsed(`0 ${hours} * * *`, 'UTC')
      ?.nextRuns(24, new Date(day - 1))
      .at(-1);
    known = last?.getTime() === day + 23 * 3_600_000;
    if (hourly.size >= MAX_PATTERNS) hourly.clear();
    hourly.set(hours, known);
  }
  return known;
}

function byElapsedTime(schedule: string, timezone: string, from: number): number | null {
  return parsed(schedule, timezone)?.nextRun(new Date(from))?.getTime() ?? null;
}

/** Finds ticks on a clock without time changes, then maps them to real instants. */
function byWallTime(schedule: string, timezone: string, from: number): number | null {
  const cron = parsed(schedule, 'UTC');
  let wall = cron?.nextRun(new Date(wallTimeOf(from, timezone) - LARGEST_SHIFT)) ?? null;
  while (cron && wall) {
    const instant = instantOf(wall.getTime(), timezone);
    if (instant > from) return instant;
    wall = cron.nextRun(wall);
  }
  return null;
}

const patterns = new Map<string, Cron | null>();

function parsed(schedule: string, timezone: string): Cron | null {
  const key = `${schedule} ${timezone}`;
  let cron = patterns.get(key);
  if (cron === undefined) {
    try {
      cron = new Cron(schedule, { timezone, mode: '5-part' });
    } catch {
      cron = null;
    }
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(key, cron);
  }
  return cron;
}
