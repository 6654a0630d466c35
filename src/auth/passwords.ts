import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../common/errors.js';
import { randomSecret } from '../common/secrets.js';

/** Hashes under way at once: each takes 19 MiB and a thread. The others wait. */
const MAX_AT_ONCE = 4;
/** And no more than these, each some 50 ms away from its turn: beyond it the service says 503. */
const MAX_WAITING = 100;

/** Argon2id with the library's defaults (19 MiB, 2 passes: OWASP's choice), a bounded number at a time. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly queue: (() => void)[] = [];
  private readonly decoy = hash(randomSecret());

  hash(password: string): Promise<string> {
    return this.oneOfFew(() => hash(normalized(password)));
  }

  /**
   * Whether the password fits. For an unknown user (`stored` null) it takes as long, and the answer is no: a login
   * must not tell by its time whether a name exists.
   */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const against = stored ?? (await this.decoy);
    const fits =
      (await this.oneOfFew(() => verify(against, normalized(password)))) ||
      // Hashes that were made before passwords were normalized are of the text as it was typed.
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
 * One form for all spellings of a text, which keyboards and systems choose differently (NIST SP 800-63B §5.1.1.2:
 * NFKC before hashing).
 */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
