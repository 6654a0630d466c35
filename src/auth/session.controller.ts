import { Body, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiRequest } from '../http/api-request.js';
import { loginNeeded } from '../common/errors.js';
import type { Viewer } from '../common/viewer.js';
import { CurrentViewer } from '../http/param-decorators.js';
import type { QueryParams } from '../http/query.js';
import { audit } from '../http/logging.js';
import type { RecordResponse } from '../record/response/record-response.js';
import { KindController } from '../record/record.controller.js';
import { Access } from '../http/access.decorator.js';
import type { Schemas } from '../openapi-model/json-schema.js';
import { Describe } from '../openapi-model/operation.decorator.js';
import { EXAMPLE_ID } from '../record/ids/ids.js';
import { LoginService, LOGIN_BODY } from './login.service.js';
import { DeviceCookie } from './device-cookie.js';
import { SessionCookie } from './session-cookie.js';
import { SessionGuard } from './session.guard.js';
import { SessionService } from './session.service.js';
import { TOKEN_SCHEMA } from './session-store.js';
import { Session } from './session.entity.js';

const TOKEN_PATH: Schemas = { token: { ...TOKEN_SCHEMA, description: 'The id of the session, a secret.' } };
const CLEARS = { 'Set-Cookie': 'Clears the cookie, if it was for this session.' };

/**
 * `/sessions`: log in, read, log out. The path parameter is called `token` because it is a secret that is never logged.
 * Methods that set or clear cookies take the request itself, which says whether it came over TLS and which cookies it has.
 */
@KindController(Session)
@Access('login')
export class SessionController {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionService,
    private readonly cookie: SessionCookie,
    private readonly devices: DeviceCookie,
    private readonly guard: SessionGuard,
  ) {}

  /**
   * Logs in. A cookie of the request, valid or not, has no effect and is replaced; its session ends (OWASP
   * Session Management Cheat Sheet, "Renew the Session ID After Any Privilege Level Change").
   */
  @Post()
  @Access('open')
  @Describe({
    id: 'login',
    summary: 'Log in',
    description:
      'With an API key and its secret, or with a username or e-mail address and the password. The answer to a failed ' +
      'login is always the same (454). If the request has a session cookie, that session ends.',
    body: {
      schema: LOGIN_BODY,
      examples: {
        password: { login: 'olive', password: 'correct horse battery' },
        apiKey: { apiKey: EXAMPLE_ID, privateKey: 'pk_secret' },
      },
    },
    response: { record: 'Session' },
    headers: {
      'Set-Cookie':
        '`appSessionId`, the id of the session, and `appDeviceId`, which identifies the device at its next login; both are HttpOnly.',
    },
    errors: ['loginFailed', 'forbidden', 'tooLarge', 'unsupportedType', 'missing', 'invalid', 'tooMany'],
  })
  async login(
    @Req() request: ApiRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordResponse> {
    this.guard.refuseOtherSites(request);
    const older = this.cookie.readAll(request);
    const { token, row, viewer, warnings, account } = await this.logins.login(body, request);
    for (const one of older) await this.sessions.replace(one, request);
    this.cookie.set(request, reply, token);
    this.devices.set(request, reply, account);
    return this.sessions.shown(viewer, row, token, request.query, warnings);
  }

  @Get(':token')
  @Describe({
    id: 'readSession',
    summary: 'Read a session of your own',
    path: TOKEN_PATH,
    response: { record: 'Session' },
    errors: ['notFound', 'invalid'],
  })
  read(
    @CurrentViewer() viewer: Viewer,
    @Param('token') token: string,
    @Query() query: QueryParams,
  ): Promise<RecordResponse> {
    return this.sessions.readByToken(viewer, token, query);
  }

  @Get(':token/user')
  @Describe({
    id: 'readSessionUser',
    summary: 'Read the user of a session of your own',
    path: TOKEN_PATH,
    response: { record: 'User' },
    errors: ['notFound', 'invalid'],
  })
  user(
    @CurrentViewer() viewer: Viewer,
    @Param('token') token: string,
    @Query() query: QueryParams,
  ): Promise<RecordResponse> {
    return this.sessions.relationByToken(viewer, token, 'user', query);
  }

  /** Ends the session of the cookie. */
  @Delete()
  @Describe({
    id: 'logout',
    summary: 'Log out',
    description: 'Ends the session of the cookie. The answer is the session as it was.',
    response: { record: 'Session' },
    headers: CLEARS,
    errors: ['invalid'],
  })
  async logout(
    @Req() request: ApiRequest & Pick<FastifyRequest, 'cookies'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordResponse> {
    const token = this.cookie.read(request);
    if (token === undefined) throw loginNeeded();
    return this.end(request, token, reply);
  }

  @Delete(':token')
  @Describe({
    id: 'endSession',
    summary: 'End a session of your own',
    path: TOKEN_PATH,
    response: { record: 'Session' },
    headers: CLEARS,
    errors: ['notFound', 'invalid'],
  })
  async end(
    @Req() request: ApiRequest & Pick<FastifyRequest, 'cookies'>,
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordResponse> {
    const response = await this.sessions.end(request, token);
    if (token === this.cookie.read(request)) this.cookie.clear(request, reply);
    const { actor, ip: address } = request;
    audit(request.log, { event: 'logout', outcome: 'success', actor, action: 'end', target: actor, address });
    return response;
  }
}
