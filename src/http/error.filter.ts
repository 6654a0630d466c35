import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiRequest } from './api-request.js';
import { sendError } from './error-response.js';
import { ApiError } from '../common/errors.js';
import { audit, recordId } from './logging.js';

/** The one exception filter: whatever a guard, handler or interceptor throws becomes the error envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest & Partial<Pick<ApiRequest, 'actor'>>>();
    if (isRefusal(thrown)) auditRefusal(request);
    sendError(thrown, request, http.getResponse<FastifyReply>());
  }
}

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof HttpException
    ? thrown.getStatus() === 403
    : thrown instanceof ApiError && thrown.status === 403;

/** Audits a denied request. */
function auditRefusal(request: FastifyRequest & Partial<Pick<ApiRequest, 'actor'>>): void {
  audit(request.log, {
    event: 'access',
    outcome: 'refused',
    actor: request.actor ?? null,
    action: `${request.method} ${request.routeOptions.url ?? ''}`,
    target: recordId(request),
    address: request.ip,
  });
}
