import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { networkOf } from '../http/client-address.js';
import { tooMany } from '../common/errors.js';
import { hashOfSecret } from '../common/secrets.js';

const MINUTE = 60;
const HOUR = 3600;

/**
 * Limits tries by address and by login name (LOGIN_RATE_*, SIGNUP_RATE_*; 0 is no limit). Names are not secret, and anybody
 * could lock somebody out. So a name has a separate limit for each network, and the limit for all networks is higher and
 * exempts known devices. Counted in memory: n instances allow n times as many tries, which still slows guessing.
 */
@Injectable()
export class RateLimits {
  private readonly loginByAddress: RateLimiterMemory | null;
  private readonly loginByNameHere: RateLimiterMemory | null;
  private readonly loginByName: RateLimiterMemory | null;
  private readonly loginByDevice: RateLimiterMemory | null;
  private readonly signUpByAddress: RateLimiterMemory | null;
  private readonly credentialsByUser: RateLimiterMemory | null;

  constructor(config: Config) {
    this.loginByAddress = limiter(config.loginRatePerAddress, MINUTE);
    this.loginByNameHere = limiter(config.loginRatePerName, MINUTE);
    this.loginByName = limiter(config.loginRatePerNameInAll, MINUTE);
    this.loginByDevice = limiter(config.loginRatePerName, MINUTE);
    this.signUpByAddress = limiter(config.signupRatePerAddress, HOUR);
    this.credentialsByUser = limiter(config.credentialRatePerUser, HOUR);
  }

  /**
   * Counts a login before it is checked, so that simultaneous tries count too.
   * @param knownDevice returns the device, if it has logged in under this name before. Called when a limit is reached,
   *   because such a device has a limit of its own
   * @returns a function that takes the count back: only failed tries count
   * @throws ApiError 429 with the seconds to wait
   */
  async login(
    address: string,
    name: string,
    knownDevice: () => Promise<string | null>,
  ): Promise<() => Promise<void>> {
    const network = networkOf(address);
    const key = hashOfSecret(name); // a name can be long, and is nobody's business in memory dumps
    const counted: [RateLimiterMemory | null, string][] = [];
    const count = async (limit: RateLimiterMemory | null, what: string) => {
      await consume(limit, what);
      counted.push([limit, what]);
    };
    try {
      await count(this.loginByAddress, network);
      await count(this.loginByNameHere, `${key} ${network}`);
      await count(this.loginByName, key);
    } catch (denied) {
      const device = await knownDevice();
      if (device === null) throw denied;
      await count(this.loginByDevice, device);
    }
    return async () => {
      for (const [limit, what] of counted) await limit?.reward(what);
    };
  }

  /** Counts a user that was not created by an administrator. @throws ApiError 429 */
  async signUp(address: string): Promise<void> {
    await consume(this.signUpByAddress, networkOf(address));
  }

  /**
   * Counts a change of username, e-mail address or password by the user itself: it is expensive, or reveals whether a name
   * is taken.
   * @throws ApiError 429
   */
  async credentials(userId: string): Promise<void> {
    await consume(this.credentialsByUser, userId);
  }
}

function limiter(points: number, duration: number): RateLimiterMemory | null {
  return points > 0 ? new RateLimiterMemory({ points, duration }) : null;
}

async function consume(limit: RateLimiterMemory | null, key: string): Promise<void> {
  try {
    await limit?.consume(key);
  } catch (denied) {
    if (!(denied instanceof RateLimiterRes)) throw denied;
    throw tooMany(Math.ceil(denied.msBeforeNext / 1000));
  }
}
