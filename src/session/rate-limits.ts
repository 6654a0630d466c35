import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
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

  constructor(config: Config) {
    this.loginByAddress = limiter(config.loginRatePerAddress, MINUTE);
    this.loginByName = limiter(config.loginRatePerName, MINUTE);
    this.signUpByAddress = limiter(config.signupRatePerAddress, HOUR);
  }

  /**
   * Counts a try to log in, before it is looked at, so that tries at the same moment count too.
   * @returns takes the count back: only failed tries shall count
   * @throws ApiError 429 with the seconds to wait
   */
  async login(address: string, name: string): Promise<() => Promise<void>> {
    const key = hashOfSecret(name); // a name can be long, and is nobody's business in memory dumps
    await consume(this.loginByAddress, address);
    await consume(this.loginByName, key);
    return async () => {
      await this.loginByAddress?.reward(address);
      await this.loginByName?.reward(key);
    };
  }

  /** Counts an anonymous sign-up. @throws ApiError 429 */
  async signUp(address: string): Promise<void> {
    await consume(this.signUpByAddress, address);
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
