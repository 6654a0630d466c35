import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiRequest } from './api-request.js';
import { answerError } from './error-answer.js';
import { ApiError } from './errors.js';
import { audit } from './logging.js';

/** The one exception filter: whatever a guard, handler or interceptor throws becomes the error envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest & Partial<Pick<ApiRequest, 'actor'>>>();
    if (thrown instanceof ApiError && thrown.status === 403) auditRefusal(request);
    answerError(thrown, request, http.getResponse<FastifyReply>());
  }
}

/** Somebody tried what is not allowed. Only a path parameter named `id` is a record's id; others may be secrets. */
function auditRefusal(request: FastifyRequest & Partial<Pick<ApiRequest, 'actor'>>): void {
  const { id } = request.params as { id?: string };
  audit(request.log, {
    event: 'access',
    outcome: 'refused',
    actor: request.actor ?? null,
    action: `${request.method} ${request.routeOptions.url ?? ''}`,
    target: id !== undefined && /^v[a-zA-Z0-9]{8,28}$/.test(id) ? id : null,
    address: request.ip,
  });
}
