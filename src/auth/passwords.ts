import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { FairSlots } from '../common/fair-slots.js';
import { INTERNAL_REQUESTER } from '../common/requester.js';
import { randomSecret } from '../common/secrets.js';
import { networkOf } from '../http/client-address.js';

/** The number of concurrent hashes: each takes 19 MiB and a thread. Others wait. */
const MAX_AT_ONCE = 4;
/** Waiting hashes, each of about 50 ms. More are 503, as is one that waits for too long. */
const WAITING = { maxWaiting: 100, timeoutMs: 30_000 };

/**
 * Hashes with Argon2id and the library's defaults (19 MiB, 2 passes: OWASP's choice), a limited number at a time. Waiting
 * hashes are served round robin by network, because a login has no user yet.
 */
@Injectable()
export class Passwords {
  private readonly slots = new FairSlots(new Array<null>(MAX_AT_ONCE).fill(null), WAITING);
  private readonly decoy = hash(randomSecret());

  /**
   * @param address of the client; those without one share one network
   * @throws ApiError 503 when too many wait
   */
  hash(password: string, address?: string): Promise<string> {
    return this.inSlot(address, () => hash(normalized(password)));
  }

  /**
   * Whether the password is correct. For an unknown user (`stored` null) it takes as long and returns false: the time of a
   * login must not reveal whether a name exists.
   * @param address of the client; those without one share one network
   * @throws ApiError 503 when too many wait
   */
  async verify(password: string, stored: string | null, address?: string): Promise<boolean> {
    const against = stored ?? (await this.decoy);
    const fits =
      (await this.inSlot(address, () => verify(against, normalized(password)))) ||
      // Hashes from before passwords were normalized are of the text as it was typed.
      (normalized(password) !== password && (await this.inSlot(address, () => verify(against, password))));
    return fits && stored !== null;
  }

  private inSlot<T>(address: string | undefined, work: () => Promise<T>): Promise<T> {
    return this.slots.run('', { ...INTERNAL_REQUESTER, fairnessKey: networkOf(address) }, work);
  }
}

/**
 * Normalizes a password, because keyboards and systems encode the same text differently (NIST SP 800-63B §5.1.1.2: NFKC
 * before hashing).
 */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
