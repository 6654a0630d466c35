/*
 * Parses PostgreSQL's texts on the engine's own connections. Dates stay texts (a Date object and toISOString would cost more
 * than the query), bigints stay decimal texts, booleans and JSON are parsed.
 */

const BOOL = 16;
const JSON_TYPE = 114;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

/** Type parsers for pg's `types` setting. */
export const ENGINE_TYPES = {
  getTypeParser(oid: number): (text: string) => unknown {
    switch (oid) {
      case BOOL:
        return isTrue;
      case TIMESTAMPTZ:
        return isoOf;
      case JSON_TYPE:
      case JSONB:
        return parsed;
      default:
        return asItIs;
    }
  },
};

const isTrue = (text: string) => text === 't';
const parsed = (text: string) => JSON.parse(text) as unknown;
const asItIs = (text: string) => text;

/** The length of `2026-01-31 12:00:00.123+00`, which already has the three decimals of the API. */
const LENGTH_OF_MILLISECONDS = 26;

/**
 * `2026-01-31 12:00:00.5+00` → `2026-01-31T12:00:00.500Z`; session-settings.ts sets the time zone and the style. Other forms
 * (infinity, years before 1 and after 9999) keep PostgreSQL's notation, without blanks.
 */
function isoOf(text: string): string {
  if (!text.endsWith('+00') || text[4] !== '-') return beyond(text);
  if (text.length === LENGTH_OF_MILLISECONDS) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const dot = text.indexOf('.');
  const fraction =
    dot < 0
      ? '000'
      : text
          .slice(dot + 1, -3)
          .padEnd(3, '0')
          .slice(0, 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

function beyond(text: string): string {
  if (!/^-?infinity$|\+00(?: BC)?$/.test(text)) throw new Error('The session with PostgreSQL is not in UTC.');
  return text.replace(' ', 'T').replace(' ', '');
}
