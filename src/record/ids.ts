import { createCipheriv, createDecipheriv, hkdfSync, type Cipher, type Decipher } from 'node:crypto';
import Sqids from 'sqids';

/**
 * Public ids: `v` + the Sqids text of one AES block that holds the 64-bit row id.
 *
 * The block is 8 zero bytes, then the id; so a text that was not made here decrypts to a block whose first half
 * is not zero and is refused (chance 2^-64). Each kind has its own key, derived from the secret and the kind's
 * name: the same integer differs between kinds, and an id of one kind is no id of another.
 */
const BLOCK = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** Four 32-bit numbers: one prefix, 1 to 6 digits each, three separators. */
const SHAPE = /^v[a-zA-Z0-9]{8,28}$/;
/** The form of a public id, as a pattern without anchors. Sessions have longer ones. */
export const ID_FORM = 'v[a-zA-Z0-9]{8,}';
/** Stands for the id of a real record in descriptions of the API. */
export const EXAMPLE_ID = 'v3kNqT8wYbR5xLmZp2HdC';
const MAX_ID = 2n ** 63n - 1n;

interface KindCipher {
  encrypt: Cipher;
  decrypt: Decipher;
}

/** Encrypts row ids (bigint texts, as PostgreSQL gives them) to public ids and back. One per process. */
export class Ids {
  private readonly ciphers = new Map<string, KindCipher>();

  /** @param secret APP_SECRET; changing it changes every public id. */
  constructor(private readonly secret: string) {
    checkTables();
  }

  /** The public id of one row of `kind`. */
  encode(kind: string, id: string): string {
    return this.encodeAll(kind, [id])[0] ?? '';
  }

  /** The public ids of many rows in one pass over the cipher: a page costs little more than a row. */
  encodeAll(kind: string, ids: readonly string[]): string[] {
    const plain = Buffer.alloc(ids.length * BLOCK);
    ids.forEach((id, i) => plain.writeBigUInt64BE(BigInt(id), i * BLOCK + 8));
    const sealed = this.cipher(kind).encrypt.update(plain);
    const texts = new Array<string>(ids.length);
    for (let i = 0; i < ids.length; i++) texts[i] = 'v' + sqidsOfBlock(sealed, i * BLOCK);
    return texts;
  }

  /** The row id of a public id of `kind`; null when the text is malformed, not canonical or of another kind. */
  decode(kind: string, text: string): string | null {
    if (!SHAPE.test(text)) return null;
    const sealed = blockOfSqids(text.slice(1));
    if (!sealed) return null;
    const plain = this.cipher(kind).decrypt.update(sealed);
    const id = plain.readBigUInt64BE(8);
    if (plain.readBigUInt64BE(0) !== 0n || id < 1n || id > MAX_ID) return null;
    // Sqids has several spellings for the same numbers; only the one that we write is an id.
    return this.encode(kind, id.toString()) === text ? id.toString() : null;
  }

  private cipher(kind: string): KindCipher {
    let found = this.ciphers.get(kind);
    if (!found) {
      const key = Buffer.from(hkdfSync('sha256', this.secret, '', `kindred/id/${kind}`, BLOCK));
      const decrypt = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
      found = { encrypt: createCipheriv('aes-128-ecb', key, null).setAutoPadding(false), decrypt };
      this.ciphers.set(kind, found);
    }
    return found;
  }
}

/*
 * The Sqids library shuffles its alphabet anew for each number of each id, which would cost more than the rest of
 * a page. For four numbers the alphabets depend on one of 62 offsets only, so they are laid out once here; the
 * texts are the library's own (ids.spec.ts compares them).
 */
const SIZE = ALPHABET.length;
const BASE = shuffle(ALPHABET);
const CODES = Array.from(BASE, (c) => c.charCodeAt(0));
const ROUNDS: string[][] = Array.from({ length: SIZE }, (_, offset) => {
  const first = Array.from(BASE.slice(offset) + BASE.slice(0, offset))
    .reverse()
    .join('');
  const second = shuffle(first);
  const third = shuffle(second);
  return [first, second, third, shuffle(third)];
});

function sqidsOfBlock(block: Buffer, at: number): string {
  const a = block.readUInt32BE(at);
  const b = block.readUInt32BE(at + 4);
  const c = block.readUInt32BE(at + 8);
  const d = block.readUInt32BE(at + 12);
  const code = (n: number) => CODES[n % SIZE] ?? 0;
  const offset = (4 + code(a) + code(b) + 1 + code(c) + 2 + code(d) + 3) % SIZE;
  const [w = '', x = '', y = '', z = ''] = ROUNDS[offset] ?? [];
  return (
    BASE.charAt(offset) +
    digits(a, w) +
    w.charAt(0) +
    digits(b, x) +
    x.charAt(0) +
    digits(c, y) +
    y.charAt(0) +
    digits(d, z)
  );
}

/** Ids outlive releases: a library that writes them in another way must not go unnoticed. */
function checkTables(): void {
  const block = Buffer.from('00000000ffffffff0000003d12345678', 'hex');
  const numbers = [0, 4, 8, 12].map((at) => block.readUInt32BE(at));
  const text = new Sqids({ alphabet: ALPHABET, blocklist: new Set() }).encode(numbers);
  if (sqidsOfBlock(block, 0) !== text || blockOfSqids(text)?.equals(block) !== true) {
    throw new Error('The sqids library writes ids in another way than this service does.');
  }
}

/** The block whose text this may be, or null: four numbers of 32 bits, each behind the separator of its round. */
function blockOfSqids(text: string): Buffer | null {
  const rounds = ROUNDS[BASE.indexOf(text.charAt(0))];
  if (!rounds) return null;
  const block = Buffer.alloc(BLOCK);
  let at = 1;
  for (let i = 0; i < 4; i++) {
    const alphabet = rounds[i] ?? '';
    const end = i < 3 ? text.indexOf(alphabet.charAt(0), at) : text.length;
    if (end <= at || end - at > 6) return null;
    let n = 0;
    for (; at < end; at++) {
      const digit = alphabet.indexOf(text.charAt(at)) - 1;
      if (digit < 0) return null;
      n = n * (SIZE - 1) + digit;
    }
    if (n > 0xffffffff) return null;
    block.writeUInt32BE(n, i * 4);
    at = end + 1;
  }
  return block;
}

/** `n` in base 61 with the digits of `alphabet` after its first character, which is the separator. */
function digits(n: number, alphabet: string): string {
  let text = '';
  do {
    text = alphabet.charAt(1 + (n % (SIZE - 1))) + text;
    n = Math.floor(n / (SIZE - 1));
  } while (n > 0);
  return text;
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
