import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../common/errors.js';
import { randomSecret } from '../common/secrets.js';

/** The number of concurrent hashes: each takes 19 MiB and a thread. Others wait. */
const MAX_AT_ONCE = 4;
/** The number of waiting hashes, each of about 50 ms. More are 503. */
const MAX_WAITING = 100;

/** Argon2id with the library's defaults (19 MiB, 2 passes, as OWASP recommends), with limited concurrency. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly queue: (() => void)[] = [];
  private readonly decoy = hash(randomSecret());

  hash(password: string): Promise<string> {
    return this.oneOfFew(() => hash(normalized(password)));
  }

  /**
   * Whether the password is correct. For an unknown user (`stored` null) it takes as long and returns false: the time of a
   * login must not reveal whether a name exists.
   */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const against = stored ?? (await this.decoy);
    const fits =
      (await this.oneOfFew(() => verify(against, normalized(password)))) ||
      // Hashes from before passwords were normalized are of the text as it was typed.
      (normalized(password) !== password && (await this.oneOfFew(() => verify(against, password))));
    return fits && stored !== null;
  }

  private async oneOfFew<T>(work: () => Promise<T>): Promise<T> {
    if (this.queue.length >= MAX_WAITING) throw unavailable('The service is overloaded. Try again shortly.');
    if (this.running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place, so the count stays.
      const next = this.queue.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/**
 * Normalizes a password, because keyboards and systems encode the same text differently (NIST SP 800-63B §5.1.1.2: NFKC
 * before hashing).
 */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
