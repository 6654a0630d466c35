import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { networkOf } from '../http/client-address.js';
import { tooMany } from '../common/errors.js';
import { hashOfSecret } from '../common/secrets.js';

const MINUTE = 60;
const HOUR = 3600;

/** Takes the count of a try back. */
export type Forgive = () => Promise<void>;

/** A device that has logged in to an account before: see {@link DeviceCookie}. */
export interface KnownDevice {
  readonly device: string;
  readonly account: string;
}

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
  private readonly loginByDevicesHere: RateLimiterMemory | null;
  private readonly signUpByAddress: RateLimiterMemory | null;
  private readonly credentialsByUser: RateLimiterMemory | null;

  constructor(config: Config) {
    this.loginByAddress = limiter(config.loginRatePerAddress, MINUTE);
    this.loginByNameHere = limiter(config.loginRatePerName, MINUTE);
    this.loginByName = limiter(config.loginRatePerNameInAll, MINUTE);
    this.loginByDevice = limiter(config.loginRatePerName, MINUTE);
    this.loginByDevicesHere = limiter(config.loginRatePerName, MINUTE);
    this.signUpByAddress = limiter(config.signupRatePerAddress, HOUR);
    this.credentialsByUser = limiter(config.credentialRatePerUser, HOUR);
  }

  /**
   * Counts a login before it is checked, so that simultaneous tries count too.
   * @param knownDevice returns the device, if it has logged in under this name before. Called when a limit is reached,
   *   because such a device has a limit of its own, and shares one with the other devices of its account in its network:
   *   every login creates one more device
   * @returns a function that takes the count back: only wrong credentials count
   * @throws ApiError 429 with the seconds to wait
   */
  async login(
    address: string,
    name: string,
    knownDevice: () => Promise<KnownDevice | null>,
  ): Promise<Forgive> {
    const network = networkOf(address);
    const key = hashOfSecret(name); // a name can be long, and is nobody's business in memory dumps
    const counted: Forgive[] = [];
    const count = async (limit: RateLimiterMemory | null, what: string) => {
      counted.push(await consume(limit, what));
    };
    try {
      await count(this.loginByAddress, network);
      await count(this.loginByNameHere, `${key} ${network}`);
      await count(this.loginByName, key);
    } catch (denied) {
      const known = await knownDevice();
      if (!known) throw denied;
      await count(this.loginByDevicesHere, `${known.account} ${network}`);
      await count(this.loginByDevice, known.device);
    }
    return async () => {
      for (const forgive of counted) await forgive();
    };
  }

  /**
   * Counts a user that was not created by an administrator.
   * @returns a function that takes the count back, for an overloaded service
   * @throws ApiError 429
   */
  signUp(address: string): Promise<Forgive> {
    return consume(this.signUpByAddress, networkOf(address));
  }

  /**
   * Counts a change of username, e-mail address or password by the user itself: it is expensive, or reveals whether a name
   * is taken.
   * @returns a function that takes the count back, for an overloaded service
   * @throws ApiError 429
   */
  credentials(userId: string): Promise<Forgive> {
    return consume(this.credentialsByUser, userId);
  }
}

function limiter(points: number, duration: number): RateLimiterMemory | null {
  return points > 0 ? new RateLimiterMemory({ points, duration }) : null;
}

async function consume(limit: RateLimiterMemory | null, key: string): Promise<Forgive> {
  try {
    await limit?.consume(key);
    return async () => void (await limit?.reward(key));
  } catch (denied) {
    if (!(denied instanceof RateLimiterRes)) throw denied;
    throw tooMany(Math.ceil(denied.msBeforeNext / 1000));
  }
}
