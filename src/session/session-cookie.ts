import '@fastify/cookie';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';
import { cookieAttributes } from './cookie-attributes.js';

/** The name of the session cookie. */
export const SESSION_COOKIE = 'appSessionId';

/** The session cookie (RFC 6265): its value is the id of the session. */
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
    void reply.setCookie(SESSION_COOKIE, token, { ...cookieAttributes(this.config, request), maxAge });
  }

  clear(request: Pick<FastifyRequest, 'protocol'>, reply: FastifyReply): void {
    void reply.clearCookie(SESSION_COOKIE, cookieAttributes(this.config, request));
  }
}
