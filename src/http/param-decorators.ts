import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';
import { HttpRequester } from './http-requester.js';

/** Avoids `switchToHttp()`, which creates three functions: this runs for every parameter of every request. */
const requestOf = (context: ExecutionContext): ApiRequest => context.getArgByIndex<ApiRequest>(0);

/** The {@link Viewer} of this request, for decisions about access. */
export const CurrentViewer = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => requestOf(context).viewer,
);

/** The {@link Requester} of this request: reads that may have to wait are queued fairly by it. */
export const CurrentRequester = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => new HttpRequester(requestOf(context)),
);

/**
 * This request as a WriteRequest, which writes take: the viewer, the query, the headers with their conditions, the address
 * and the log.
 */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) => requestOf(context));
