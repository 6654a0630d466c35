import '@fastify/cookie';
import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';
import { cookieAttributes } from './cookie-attributes.js';
import { givenCookies } from './given-cookies.js';
import { randomSecret, sameHash } from '../common/secrets.js';

/** The name of the device cookie. */
export const DEVICE_COOKIE = 'appDeviceId';

/** How long a device stays known, in seconds. Browsers limit cookies to little more than a year. */
const KNOWN_FOR = 365 * 24 * 3600;

const FORM = /^(\d{1,12})\.([0-9A-Za-z]{43})\.([0-9a-f]{64})$/;

/**
 * Marks a device that has logged in. Its later logins to that account are counted separately, so that failed tries of others
 * don't lock it out (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It proves nothing else. Its value is
 * the time, a random number and an HMAC of both with the account, which the value does not contain.
 */
@Injectable()
export class DeviceCookie {
  private readonly key: Buffer;

  constructor(private readonly config: Config) {
    this.key = Buffer.from(hkdfSync('sha256', config.appSecret, '', 'kindred/device-cookie', 32));
  }

  /** Marks the device as one of `account`. */
  set(request: Pick<FastifyRequest, 'protocol'>, reply: FastifyReply, account: string): void {
    const issued = String(Math.floor(Date.now() / 1000));
    const device = randomSecret();
    const value = `${issued}.${device}.${this.signature(account, issued, device)}`;
    const attributes = { ...cookieAttributes(this.config, request), maxAge: KNOWN_FOR };
    void reply.setCookie(DEVICE_COOKIE, value, attributes);
  }

  /**
   * The value of a request's device cookie, for {@link deviceOf}. Undefined if it is missing or empty, or if there are
   * several, one of which may have been planted.
   */
  read(request: Pick<FastifyRequest, 'cookies' | 'headers'>): string | undefined {
    if (givenCookies(request, DEVICE_COOKIE).length > 1) return undefined;
    return request.cookies[DEVICE_COOKIE] || undefined;
  }

  /** The device of a cookie's value, if it has logged in to `account` within a year; else null. */
  deviceOf(value: string, account: string): string | null {
    const [, issued = '', device = '', signature = ''] = FORM.exec(value) ?? [];
    if (!sameHash(signature, this.signature(account, issued, device))) return null;
    return Number(issued) + KNOWN_FOR > Date.now() / 1000 ? device : null;
  }

  private signature(account: string, issued: string, device: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([account, issued, device]))
      .digest('hex');
  }
}
