import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access } from '../http/access.decorator.js';
import type { ApiRequest } from '../http/api-request.js';
import { sendCacheable } from './cacheable.js';
import { OpenApiDocument } from './openapi-document.js';
import { Describe } from './operation.decorator.js';

/** `/openapi.json`: the description of the API, for programs. It is no secret, and the same for everybody. */
@Controller()
@Access('open')
export class OpenApiController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Describe({
    id: 'readOpenApi',
    tag: 'Description',
    summary: 'This description, as OpenAPI 3.1',
    answer: {
      json: { type: 'object', description: 'The document.', additionalProperties: true },
    },
    headers: { ETag: 'The version of the document.', 'Cache-Control': 'For how long it may be kept.' },
  })
  async read(@Req() request: ApiRequest, @Res() reply: FastifyReply): Promise<void> {
    await sendCacheable(request, reply, this.document.of());
  }
}
