const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d))?$/;

/** The format of accepted dates, as a pattern without anchors. {@link parseDate} checks that they exist. */
export const DATE_FORM = ISO.source.slice(1, -1);

/**
 * An ISO 8601 date (midnight UTC) or date-time with `Z` or an offset, as `YYYY-MM-DDTHH:MM:SS.mmmZ`;
 * digits beyond the millisecond are cut off. Null for anything else, such as the 30th of February or a time
 * without a zone, which would mean another instant on another machine.
 */
export function parseDate(text: string): string | null {
  const m = ISO.exec(text);
  if (!m) return null;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = m;
  if (year === '0000' || +month < 1 || +month > 12 || +day < 1 || +hour > 23 || +minute > 59 || +second > 59)
    return null;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  if (date.getUTCDate() !== +day || date.getUTCMonth() !== +month - 1) return null;
  date.setUTCHours(+hour, +minute, +second, +(fraction + '000').slice(0, 3));
  const offset = offsetMinutes(zone);
  if (offset === null) return null;
  date.setTime(date.getTime() - offset * 60_000);
  const iso = date.toISOString();
  // An offset can move the first or the last day out of the four-digit years.
  return iso.length === 24 && !iso.startsWith('0000') ? iso : null;
}

function offsetMinutes(zone: string): number | null {
  if (zone === 'Z') return 0;
  const hours = +zone.slice(1, 3);
  const minutes = +zone.slice(4, 6);
  if (hours > 14 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
