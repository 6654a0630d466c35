import '@fastify/cookie';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';
import { cookieAttributes } from './cookie-attributes.js';
import { givenCookies } from './given-cookies.js';

/** The name of the session cookie. */
export const SESSION_COOKIE = 'appSessionId';

/** The maximum number of cookies read from one request. */
const MAX_READ = 10;

/** The session cookie (RFC 6265): its value is the id of the session. */
@Injectable()
export class SessionCookie {
  constructor(private readonly config: Config) {}

  /** The cookie's value; undefined if it is missing or empty. */
  read(request: Pick<FastifyRequest, 'cookies'>): string | undefined {
    return request.cookies[SESSION_COOKIE] || undefined;
  }

  /**
   * Whether a request has the cookie more than once (RFC 6265 §4.2.2 leaves open which one counts). One of them may have
   * been planted, so none is trusted, not even if another is empty.
   */
  isAmbiguous(request: Pick<FastifyRequest, 'headers'>): boolean {
    return givenCookies(request, SESSION_COOKIE).length > 1;
  }

  /** The values of all cookies of the name, without empty ones: at most {@link MAX_READ}, each once. */
  readAll(request: Pick<FastifyRequest, 'headers'>): string[] {
    return [...new Set(givenCookies(request, SESSION_COOKIE))]
      .filter((value) => value !== '')
      .slice(0, MAX_READ);
  }

  /** @param maxAge seconds; a new session has its idle lifetime */
  set(
    request: Pick<FastifyRequest, 'protocol'>,
    reply: FastifyReply,
    token: string,
    maxAge = this.config.sessionIdleSeconds,
  ): void {
    void reply.setCookie(SESSION_COOKIE, token, { ...cookieAttributes(this.config, request), maxAge });
  }

  clear(request: Pick<FastifyRequest, 'protocol'>, reply: FastifyReply): void {
    void reply.clearCookie(SESSION_COOKIE, cookieAttributes(this.config, request));
  }
}
