import { randomUUID } from 'node:crypto';

/** Only a long run of digits or an exponent can hold more than a double keeps. */
const SUSPECT = /\d[\d.]{15,}|\d[eE]/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Stands in a parsed body where a number stood that can't be kept. Nobody can send it. */
export const INEXACT = `number ${randomUUID()}`;

/**
 * Marks the JSON numbers that JSON.parse would turn into another whole number or into infinity, such as
 * 9007199254740993 or 4503599627370497.3, by {@link INEXACT}: what is stored would not be what was sent, and nobody
 * would notice. Fractions are rounded as everywhere. `text` is valid JSON, and so is the result.
 */
export function markInexactNumbers(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return token;
    const value = Number(token);
    const kept = Number.isInteger(value) ? decimal(token) === decimal(String(value)) : Number.isFinite(value);
    return kept ? token : JSON.stringify(INEXACT);
  });
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
