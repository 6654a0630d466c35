import { type Cipher, createCipheriv, hkdfSync } from 'node:crypto';
import { unsafe as aes } from '@noble/ciphers/aes.js';
import Sqids from 'sqids';
import type { JsonSchema } from '../../openapi-model/json-schema.js';

/**
 * Public ids: `v` + the Sqids text of one AES block with the 64-bit row id.
 *
 * The block is 8 zero bytes, then the id. A text that was not created here decrypts to a block whose first half is not zero
 * (except with a chance of 2^-64) and is refused. Each kind has its own key, derived from the secret and the kind's name:
 * the same integer has a different id in each kind, and an id of one kind is invalid for another.
 *
 * A few blocks are encrypted in JavaScript (@noble/ciphers), because a call of node:crypto costs several times as much as a
 * block. The blocks of a page are encrypted in one such call.
 */
const KEY_BYTES = 16;
const BLOCK_BYTES = 16;
/** From this many ids on, one call for all of them is cheaper. */
const MANY = 6;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Four 32-bit numbers: one prefix, 1 to 6 digits each, three separators. */
/** The pattern of public ids, without anchors. Ids of sessions have another format (session-store.ts). */
export const ID_FORM = 'v[a-zA-Z0-9]{8,28}';
const SHAPE = new RegExp(`^${ID_FORM}$`);
/** Stands for the id of a real record in descriptions of the API. */
export const EXAMPLE_ID = 'v3kNqT8wYbR5xLmZp2HdC';
/** A public id in the API's description. */
export const ID_SCHEMA: JsonSchema = { type: 'string', minLength: 9, maxLength: 29, pattern: `^${ID_FORM}$` };
/** The size of each kind's cache; about 100 bytes per text. */
const MAX_KNOWN = 5000;
const TWO_32 = 2 ** 32;
/** Texts up to this length are integers that a Number holds exactly. */
const EXACT_DIGITS = 15;
/** The greatest row id is 2^63 - 1. */
const MAX_HIGH = 0x7fffffff;

/** A block as its four 32-bit numbers, big-endian: what Sqids encodes. */
type Block = [number, number, number, number];

interface KindKeys {
  /** Round keys, as the library expands them. */
  readonly encrypt: Uint32Array;
  readonly decrypt: Uint32Array;
  readonly encryptMany: Cipher;
  /** Row id → public id. */
  readonly known: Map<string, string>;
}

/** Encrypts row ids (bigint texts, as PostgreSQL gives them) to public ids and back. One per process. */
export class Ids {
  private readonly keys = new Map<string, KindKeys>();

  /** @param secret APP_SECRET; changing it changes every public id. */
  constructor(private readonly secret: string) {
    checkTables();
  }

  /** The public id of one row of `kind`. */
  encode(kind: string, id: string): string {
    return encodeWith(this.keysOf(kind).encrypt, id);
  }

  /** The public ids of rows. They are cached, because the same pages are read most. */
  encodeAll(kind: string, ids: readonly string[]): string[] {
    const keys = this.keysOf(kind);
    return ids.length < MANY ? ids.map((id) => encodeWith(keys.encrypt, id)) : remembered(keys, ids);
  }

  /** The same for ids in parent props. They repeat often, so even a few are cached. */
  encodeNamed(kind: string, ids: readonly string[]): string[] {
    return remembered(this.keysOf(kind), ids);
  }

  /** The row id of a public id of `kind`; null when the text is malformed, not canonical or of another kind. */
  decode(kind: string, text: string): string | null {
    if (!SHAPE.test(text)) return null;
    const sealed = blockOf(text);
    // Sqids can decode several texts to the same numbers. Only the canonical one is an id.
    if (!sealed || textOf(...sealed) !== text) return null;
    const [a, b, c, d] = sealed;
    const plain = aes.decrypt(this.keysOf(kind).decrypt, swap(a), swap(b), swap(c), swap(d));
    const high = swap(plain.s2);
    const low = swap(plain.s3);
    if (plain.s0 !== 0 || plain.s1 !== 0 || high > MAX_HIGH || (high === 0 && low === 0)) return null;
    const exact = high * TWO_32 + low;
    return Number.isSafeInteger(exact) ? String(exact) : String(BigInt(high) * BigInt(TWO_32) + BigInt(low));
  }

  private keysOf(kind: string): KindKeys {
    let found = this.keys.get(kind);
    if (!found) {
      const key = new Uint8Array(hkdfSync('sha256', this.secret, '', `kindred/id/${kind}`, KEY_BYTES));
      found = {
        encrypt: aes.expandKeyLE(key),
        decrypt: aes.expandKeyDecLE(key),
        known: new Map(),
        encryptMany: createCipheriv('aes-128-ecb', key, null).setAutoPadding(false),
      };
      this.keys.set(kind, found);
    }
    return found;
  }
}

function encodeWith(key: Uint32Array, id: string): string {
  const [high, low] = halvesOf(id);
  const sealed = aes.encrypt(key, 0, 0, swap(high), swap(low));
  return textOf(swap(sealed.s0), swap(sealed.s1), swap(sealed.s2), swap(sealed.s3));
}

function remembered({ known, encrypt, encryptMany }: KindKeys, ids: readonly string[]): string[] {
  let unknown = ids.filter((id) => !known.has(id));
  if (unknown.length) {
    if (known.size + unknown.length > MAX_KNOWN) {
      known.clear();
      unknown = [...ids];
    }
    const texts =
      unknown.length < MANY ? unknown.map((id) => encodeWith(encrypt, id)) : encodeMany(encryptMany, unknown);
    texts.forEach((text, i) => known.set(unknown[i] ?? '', text));
  }
  return ids.map((id) => known.get(id) ?? '');
}

function encodeMany(cipher: Cipher, ids: readonly string[]): string[] {
  const plain = Buffer.alloc(ids.length * BLOCK_BYTES);
  for (const [i, id] of ids.entries()) {
    const [high, low] = halvesOf(id);
    plain.writeUInt32BE(high, i * BLOCK_BYTES + 8);
    plain.writeUInt32BE(low, i * BLOCK_BYTES + 12);
  }
  const sealed = cipher.update(plain);
  return ids.map((_, i) => {
    const word = (at: number) => sealed.readUInt32BE(i * BLOCK_BYTES + at);
    return textOf(word(0), word(4), word(8), word(12));
  });
}

/** A bigint text as two unsigned numbers of 32 bits. */
function halvesOf(id: string): [high: number, low: number] {
  if (id.length <= EXACT_DIGITS) {
    const exact = Number(id);
    return [Math.floor(exact / TWO_32), exact % TWO_32];
  }
  const exact = BigInt(id);
  return [Number(exact >> 32n), Number(exact & 0xffffffffn)];
}

/** A big-endian 32-bit number as a little-endian one, which is how the cipher reads its block, and back. */
function swap(n: number): number {
  return ((n << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24)) >>> 0;
}

/*
 * The Sqids library shuffles its alphabet for each number of each id, which would cost more than the rest of a page. For
 * four numbers, the alphabets depend only on one of 62 offsets, so they are computed once here. The texts are the same as
 * the library's (ids.spec.ts compares them).
 */
const SIZE = ALPHABET.length;
const BASE = shuffle(ALPHABET);

/** An alphabet of a number: its first character separates numbers, the others are digits. */
class Round {
  private readonly codes: Uint8Array;

  constructor(private readonly alphabet: string) {
    this.codes = Buffer.from(alphabet, 'latin1');
  }

  /** Writes `n` and a separator at position `at` of the buffer. Returns the position after them. */
  write(n: number, at: number): number {
    const end =
      at + (n < 61 ? 1 : n < 3_721 ? 2 : n < 226_981 ? 3 : n < 13_845_841 ? 4 : n < 844_596_301 ? 5 : 6);
    for (let i = end - 1; i >= at; i--) {
      const next = (n / 61) >>> 0;
      DRAFT[i] = this.codes[1 + n - next * 61] ?? 0;
      n = next;
    }
    DRAFT[end] = this.codes[0] ?? 0;
    return end + 1;
  }

  /** The number that is the whole of `digits`, or null. */
  read(digits: string): number | null {
    if (digits === '' || digits.length > 6) return null;
    let n = 0;
    for (const character of digits) {
      const digit = this.alphabet.indexOf(character) - 1;
      if (digit < 0) return null;
      n = n * 61 + digit;
    }
    return n < TWO_32 ? n : null;
  }

  /** The position of the next separator, or -1. */
  separator(text: string, from: number): number {
    return text.indexOf(this.alphabet.charAt(0), from);
  }
}

type Rounds = readonly [Round, Round, Round, Round];

const CODES: Uint8Array = Buffer.from(BASE, 'latin1');
const ROUNDS = Array.from({ length: SIZE }, (_, offset): Rounds => {
  const first = Array.from(BASE.slice(offset) + BASE.slice(0, offset))
    .reverse()
    .join('');
  const second = shuffle(first);
  const third = shuffle(second);
  return [new Round(first), new Round(second), new Round(third), new Round(shuffle(third))];
});

/** The buffer for texts: `v`, the first character, and four numbers with separators. */
const DRAFT = Buffer.from('v'.padEnd(2 + 4 * 7), 'latin1');

function textOf(a: number, b: number, c: number, d: number): string {
  const code = (n: number) => CODES[n % SIZE] ?? 0;
  const offset = (4 + code(a) + code(b) + 1 + code(c) + 2 + code(d) + 3) % SIZE;
  const rounds = ROUNDS[offset];
  if (!rounds) throw new Error('There is a round for every offset.');
  DRAFT[1] = CODES[offset] ?? 0;
  const end = rounds[3].write(d, rounds[2].write(c, rounds[1].write(b, rounds[0].write(a, 2))));
  return DRAFT.toString('latin1', 0, end - 1);
}

/** Parses a text into a block: four numbers of 32 bits, each after the separator of its round. Null if it is none. */
function blockOf(text: string): Block | null {
  const rounds = ROUNDS[BASE.indexOf(text.charAt(1))];
  if (!rounds) return null;
  const numbers: Block = [0, 0, 0, 0];
  let at = 2;
  for (const [i, round] of rounds.entries()) {
    const end = i < 3 ? round.separator(text, at) : text.length;
    const n = round.read(text.slice(at, Math.max(end, at)));
    if (n === null) return null;
    numbers[i] = n;
    at = end + 1;
  }
  return numbers;
}

/** Ids outlive releases, so a library that encodes them differently must be noticed. */
function checkTables(): void {
  const block: Block = [0, 0xffffffff, 0x3d, 0x12345678];
  const text = `v${new Sqids({ alphabet: ALPHABET, blocklist: new Set() }).encode([...block])}`;
  if (textOf(...block) !== text || blockOf(text)?.join() !== block.join()) {
    throw new Error('The sqids library writes ids in another way than this service does.');
  }
}

/** The consistent shuffle of the Sqids specification. */
function shuffle(alphabet: string): string {
  const chars = Array.from(alphabet);
  for (let i = 0, j = chars.length - 1; j > 0; i++, j--) {
    const left = chars[i] ?? '';
    const r = (i * j + left.charCodeAt(0) + (chars[j] ?? '').charCodeAt(0)) % chars.length;
    chars[i] = chars[r] ?? '';
    chars[r] = left;
  }
  return chars.join('');
}
