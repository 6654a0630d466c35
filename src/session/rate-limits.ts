import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { networkOf } from '../http/client-address.js';
import { tooMany } from '../http/errors.js';
import { hashOfSecret } from './secrets.js';

const MINUTE = 60;
const HOUR = 3600;

/**
 * How often one address or one login name may try (LOGIN_RATE_*, SIGNUP_RATE_*; 0 is no limit). Counted in memory, per
 * instance: n instances let n times as many through, which slows guessing all the same.
 */
@Injectable()
export class RateLimits {
  private readonly loginByAddress: RateLimiterMemory | null;
  private readonly loginByName: RateLimiterMemory | null;
  private readonly signUpByAddress: RateLimiterMemory | null;
  private readonly credentialsByUser: RateLimiterMemory | null;

  constructor(config: Config) {
    this.loginByAddress = limiter(config.loginRatePerAddress, MINUTE);
    this.loginByName = limiter(config.loginRatePerName, MINUTE);
    this.signUpByAddress = limiter(config.signupRatePerAddress, HOUR);
    this.credentialsByUser = limiter(config.credentialRatePerUser, HOUR);
  }

  /**
   * Counts a try to log in, before it is looked at, so that tries at the same moment count too.
   * @returns takes the count back: only failed tries shall count
   * @throws ApiError 429 with the seconds to wait
   */
  async login(address: string, name: string): Promise<() => Promise<void>> {
    const network = networkOf(address);
    const key = hashOfSecret(name); // a name can be long, and is nobody's business in memory dumps
    await consume(this.loginByAddress, network);
    await consume(this.loginByName, key);
    return async () => {
      await this.loginByAddress?.reward(network);
      await this.loginByName?.reward(key);
    };
  }

  /** Counts a user made by anybody but an administrator. @throws ApiError 429 */
  async signUp(address: string): Promise<void> {
    await consume(this.signUpByAddress, networkOf(address));
  }

  /**
   * Counts a change of username, e-mail address or password by the user itself: each is work, or asks whether a name
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
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw tooMany(Math.ceil(refused.msBeforeNext / 1000));
  }
}
