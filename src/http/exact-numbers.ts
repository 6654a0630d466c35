import { malformed } from './errors.js';

/** Only a long run of digits or an exponent can hold more than a double keeps. */
const SUSPECT = /\d[\d.]{15,}|\d[eE]/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Refuses JSON numbers that JSON.parse turns into another whole number or into infinity, such as 9007199254740993 or
 * 4503599627370497.3: what is stored would not be what was sent, and nobody would notice. Fractions are rounded as
 * everywhere. `text` is valid JSON.
 * @throws ApiError 400
 */
export function refuseInexactNumbers(text: string): void {
  if (!SUSPECT.test(text)) return;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    const kept = Number.isInteger(value) ? decimal(token) === decimal(String(value)) : Number.isFinite(value);
    if (!kept) throw malformed('The body holds a number with more digits than can be kept.');
  }
}

/** One spelling for each decimal value: digits without zeros at either end, and the power of ten. */
function decimal(token: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}
