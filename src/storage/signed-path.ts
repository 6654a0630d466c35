import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Query parameters of a signed path, without `expires` and `signature`. */
export type SignedTerms = Readonly<Record<string, string>>;

/**
 * Paths that work without a session until they expire. The signature (HMAC-SHA-256) covers the method, the path and every
 * parameter; its key is derived from APP_SECRET.
 */
export class PathSigner {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'kindred/signed-path', 32));
  }

  /** `path` with the terms, the expiry (seconds since 1970) and the signature as its query. */
  sign(method: string, path: string, terms: SignedTerms, expiresAt: Date): string {
    const signed = { ...terms, expires: String(Math.floor(expiresAt.getTime() / 1000)) };
    const signature = this.signature(method, path, signed);
    return `${path}?${new URLSearchParams({ ...signed, signature }).toString()}`;
  }

  /**
   * The terms of a request for a signed path; null if it has expired or differs from what was signed.
   * @param query every parameter once
   */
  verify(method: string, path: string, query: ReadonlyMap<string, readonly string[]>): SignedTerms | null {
    const given = new Map<string, string>();
    for (const [name, values] of query) {
      const [value, ...more] = values;
      if (value === undefined || more.length) return null;
      given.set(name, value);
    }
    // An assignment would lose a parameter called `__proto__`, which was not signed.
    const { signature = '', ...signed } = Object.fromEntries(given) as SignedTerms;
    const ours = Buffer.from(this.signature(method, path, signed));
    const theirs = Buffer.from(signature);
    if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return null;
    const { expires = '', ...terms } = signed;
    return Date.now() < Number(expires) * 1000 ? terms : null;
  }

  private signature(method: string, path: string, signed: SignedTerms): string {
    const sorted = Object.entries(signed).sort(([a], [b]) => (a < b ? -1 : 1));
    // JSON keeps the parts apart, whatever they hold.
    return createHmac('sha256', this.key)
      .update(JSON.stringify([method, path, sorted]))
      .digest('base64url');
  }
}
