/*
 * Wall clock time in a time zone. A wall time is represented as the UTC instant with the same digits, in milliseconds.
 * Time zone rules come from the ICU data in Node.js.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;
const MAX_ZONES = 600;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether `zone` is an IANA name, such as `Europe/Berlin` or `UTC`. Offsets such as `+02:00` are not accepted. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone)) return false;
  try {
    return formatOf(zone) !== null;
  } catch {
    return false;
  }
}

/** The wall time at an instant. */
export function wallTimeOf(instant: number, zone: string): number {
  const part = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (name: Intl.DateTimeFormatPartTypes) => part.get(name) ?? 0;
  const second = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return second + (((instant % 1000) + 1000) % 1000);
}

/**
 * The instant of a wall time. If clocks go back and show it twice, the first one; if clocks go forward and skip it, the
 * end of the gap. So a later wall time never has an earlier instant.
 */
export function instantOf(wall: number, zone: string): number {
  const before = offset(wall - DAY, zone);
  const after = offset(wall + DAY, zone);
  for (const candidate of [Math.max(before, after), Math.min(before, after)]) {
    if (offset(wall - candidate, zone) === candidate) return wall - candidate;
  }
  // In a gap: find the minute at which the offset changes.
  let low = wall - DAY;
  let high = wall + DAY;
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
    if (offset(middle, zone) === before) low = middle;
    else high = middle;
  }
  return Math.floor(high / MINUTE) * MINUTE;
}

function offset(instant: number, zone: string): number {
  return wallTimeOf(instant, zone) - instant;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formats.size >= MAX_ZONES) formats.clear(); // spellings of names differ in case
    formats.set(zone, format);
  }
  return format;
}
