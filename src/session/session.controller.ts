import { Body, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiRequest } from '../http/api-request.js';
import { loginNeeded } from '../http/errors.js';
import type { RecordAnswer } from '../record/record-answer.js';
import { KindController } from '../record/record.controller.js';
import { Access } from '../http/access.decorator.js';
import { LoginService } from './login.service.js';
import { SessionCookie } from './session-cookie.js';
import { SessionGuard } from './session.guard.js';
import { SessionService } from './session.service.js';
import { Session } from './session.entity.js';

/**
 * `/sessions`: log in, look, log out (interface.md, "Session operations"). The path parameter is called `token`
 * because it is one: it never goes to the log.
 */
@KindController(Session)
@Access('login')
export class SessionController {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionService,
    private readonly cookie: SessionCookie,
    private readonly guard: SessionGuard,
  ) {}

  /** Logs in. A cookie that comes along, valid or not, plays no part and is replaced. */
  @Post()
  @Access('open')
  async login(
    @Req() request: ApiRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordAnswer> {
    this.guard.refuseOtherSites(request);
    const { token, row, viewer, warnings } = await this.logins.login(body, request);
    this.cookie.set(request, reply, token);
    return this.sessions.shown(viewer, row, token, request.query, warnings);
  }

  @Get(':token')
  read(@Req() request: ApiRequest, @Param('token') token: string): Promise<RecordAnswer> {
    return this.sessions.readByToken(request.viewer, token, request.query);
  }

  @Get(':token/user')
  user(@Req() request: ApiRequest, @Param('token') token: string): Promise<RecordAnswer> {
    return this.sessions.relationByToken(request.viewer, token, 'user', request.query);
  }

  /** Ends the session of the cookie. */
  @Delete()
  async logout(
    @Req() request: ApiRequest & Pick<FastifyRequest, 'cookies'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordAnswer> {
    const token = this.cookie.read(request);
    if (token === undefined) throw loginNeeded();
    return this.end(request, token, reply);
  }

  @Delete(':token')
  async end(
    @Req() request: ApiRequest & Pick<FastifyRequest, 'cookies'>,
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordAnswer> {
    const answer = await this.sessions.end(request.viewer, token, request.query);
    if (token === this.cookie.read(request)) this.cookie.clear(request, reply);
    return answer;
  }
}
