import { hash, randomInt, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 hold 256 bits. */
const LENGTH = 43;
const PASSWORD_LENGTH = 20;

/** 256 random bits in [0-9A-Za-z]. */
export function randomSecret(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** A password that is shown once: some 119 random bits. */
export function generatedPassword(): string {
  return randomSecret().slice(0, PASSWORD_LENGTH);
}

/** SHA-256, hex: enough for secrets that are random and long, and fast enough for every request. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
