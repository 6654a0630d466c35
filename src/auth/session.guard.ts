import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Config } from '../config/config.js';
import type { ApiRequest } from '../http/api-request.js';
import { refuseGone } from '../http/client-gone.js';
import { forbidden, loginNeeded } from '../common/errors.js';
import { crossSite } from './same-site.js';
import { Ids } from '../record/ids/ids.js';
import { KindGraph } from '../record/schema/kind-graph.js';
import { ANONYMOUS } from '../common/viewer.js';
import { ACCESS_KEY, type AccessLevel } from '../http/access.decorator.js';
import { SESSION_COOKIE, SessionCookie } from './session-cookie.js';
import { SessionStore } from './session-store.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Cookie → viewer, for every route. Fails closed: a route that declares no access is 500. record/access/ decides what the
 * viewer may see and do.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  private readonly declared = new Map<Type, Map<Handler, AccessLevel>>();

  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: SessionStore,
    private readonly cookie: SessionCookie,
    private readonly config: Config,
    private readonly ids: Ids,
    private readonly graph: KindGraph,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.accessOf(context.getClass(), context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest & { cookies: Record<string, string | undefined> }>();
    request.viewer = ANONYMOUS;
    request.actor = null;
    if (access === 'open') return true;
    if (this.cookie.isAmbiguous(request)) {
      throw loginNeeded(`The request has several cookies named ${SESSION_COOKIE}. Send one.`);
    }
    const token = this.cookie.read(request);
    if (token !== undefined) {
      this.refuseOtherSites(request);
      return this.identify(request, http.getResponse<FastifyReply>(), token);
    }
    if (access === 'login') throw loginNeeded();
    return true;
  }

  /** Refuses an unsafe request with 403 if a browser says that another site caused it. */
  refuseOtherSites(request: Pick<ApiRequest, 'method' | 'headers' | 'host'>): void {
    if (SAFE.has(request.method) || !crossSite(request.headers, request.host, this.config.corsOrigins))
      return;
    throw forbidden('This request was made by another site.');
  }

  /** The declared access of a route, cached. */
  private accessOf(controller: Type, handler: Handler): AccessLevel {
    const handlers = this.declared.get(controller) ?? new Map<Handler, AccessLevel>();
    this.declared.set(controller, handlers);
    const known = handlers.get(handler);
    if (known) return known;
    const access = this.reflector.getAllAndOverride<AccessLevel | undefined>(ACCESS_KEY, [
      handler,
      controller,
    ]);
    if (!access) throw new Error(`${controller.name}.${handler.name} declares no @Access.`);
    handlers.set(handler, access);
    return access;
  }

  /** Sets the viewer of a session. */
  private async identify(request: ApiRequest, reply: FastifyReply, token: string): Promise<true> {
    const session = await this.sessions.find(token);
    refuseGone(request);
    if (!session) {
      this.cookie.clear(request, reply);
      throw loginNeeded('The session has expired or does not exist. Log in again.');
    }
    if (session.extendedTo !== null) this.cookie.set(request, reply, token, session.extendedTo);
    request.viewer = session.viewer;
    const [actor = null] = this.ids.encodeNamed(this.graph.userKind.kind, [session.viewer.userId ?? '0']);
    request.actor = actor;
    return true;
  }
}
