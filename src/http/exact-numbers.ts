import { randomUUID } from 'node:crypto';
import { endOfString } from './json-text.js';

/** Replaces numbers in a parsed body that can't be represented. Random, so that no client can send it. */
export const INEXACT = `number ${randomUUID()}`;

const MARK = JSON.stringify(INEXACT);

/** The maximum length of a number; a double's largest whole number has 309 digits. */
export const LONGEST_NUMBER = 400;

/** Digits that a double always keeps (IEEE 754 binary64). */
const SHORT = 15;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

const isDigit = (code: number) => code >= ZERO && code <= NINE;

/**
 * Replaces JSON numbers that JSON.parse would turn into another whole number or into infinity, such as 9007199254740993 or
 * 4503599627370497.3, by {@link INEXACT}. Otherwise a value would be stored that differs from the one sent. Fractions are
 * rounded as usual. Numbers longer than {@link LONGEST_NUMBER} are replaced too. Takes linear time.
 * @param text valid JSON; so is the result
 */
export function markInexactNumbers(text: string): string {
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (!isKept(text, at, end)) {
        marked += text.slice(copied, at) + MARK;
        copied = end;
      }
      at = end;
    } else {
      at++;
    }
  }
  return copied === 0 ? text : marked + text.slice(copied);
}

/** The end of the number that begins at `start`: the next character that no number contains. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789.eE+-'.includes(text.charAt(at))) at++;
  return at;
}

function isKept(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_NUMBER) return false;
  const token = text.slice(start, end).toLowerCase();
  const value = Number(token);
  if (token.length <= SHORT && value !== 0 && Number.isFinite(value)) return true;
  return Number.isInteger(value) ? decimal(token) === decimal(String(value)) : Number.isFinite(value);
}

/** The normal form of a decimal value: digits without zeros at either end, and the power of ten. */
function decimal(token: string): string {
  const [mantissa = '', power = '0'] = token.split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = whole + fraction;
  let first = 0;
  while (first < digits.length && digits.charCodeAt(first) === ZERO) first++;
  let last = digits.length;
  while (last > first && digits.charCodeAt(last - 1) === ZERO) last--;
  if (first === last) return '0';
  return `${sign}${digits.slice(first, last)}e${Number(power) - fraction.length + digits.length - last}`;
}
