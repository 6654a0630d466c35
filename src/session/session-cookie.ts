import '@fastify/cookie';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';

/** The name of the session cookie. */
export const SESSION_COOKIE = 'appSessionId';

/** The session cookie (RFC 6265): HttpOnly, SameSite=Lax, for the whole host and no other. */
@Injectable()
export class SessionCookie {
  constructor(private readonly config: Config) {}

  /** The cookie's value; undefined when it is absent or empty. */
  read(request: Pick<FastifyRequest, 'cookies'>): string | undefined {
    return request.cookies[SESSION_COOKIE] || undefined;
  }

  /** @param maxAge seconds; a new session has its idle lifetime */
  set(
    request: Pick<FastifyRequest, 'protocol'>,
    reply: FastifyReply,
    token: string,
    maxAge = this.config.sessionIdleSeconds,
  ): void {
    void reply.setCookie(SESSION_COOKIE, token, { ...this.attributes(request), maxAge });
  }

  clear(request: Pick<FastifyRequest, 'protocol'>, reply: FastifyReply): void {
    void reply.clearCookie(SESSION_COOKIE, this.attributes(request));
  }

  /** `protocol` is the proxy's word only where TRUST_PROXY says so. */
  private attributes(request: Pick<FastifyRequest, 'protocol'>) {
    const secure = this.config.cookieSecure || request.protocol === 'https';
    return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  }
}
