import { Controller, Get, Headers, Param, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access } from '../http/access.decorator.js';
import { API_PREFIX } from '../common/api-path.js';
import { notFound } from '../common/errors.js';
import { ApiVersions } from '../record/api-versions.js';
import { sendCacheable } from './cacheable.js';
import { OpenApiDocument } from './openapi-document.js';
import { Describe } from '../openapi-model/operation.decorator.js';

/** Where each version is described. */
export const VERSION_DOCUMENT = `${API_PREFIX}:version/openapi.json`;

/**
 * `/openapi.json`: the description of the API, for programs. It is no secret, and the same for everybody. That is the
 * default version; each one also has it below its own path.
 */
@Controller({ version: VERSION_NEUTRAL })
@Access('open')
export class OpenApiController {
  constructor(
    private readonly document: OpenApiDocument,
    private readonly versions: ApiVersions,
  ) {}

  @Get('openapi.json')
  @Describe({
    id: 'readOpenApi',
    tag: 'Description',
    summary: 'This description, as OpenAPI 3.1',
    response: {
      json: { type: 'object', description: 'The document.', additionalProperties: true },
    },
    headers: { ETag: 'The version of the document.', 'Cache-Control': 'How long it may be cached.' },
  })
  async read(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    await sendCacheable(known, reply, this.document.of());
  }

  @Get(VERSION_DOCUMENT)
  @Describe(null)
  async readVersion(
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
    @Param('version') version: string,
  ): Promise<void> {
    if (!this.versions.has(version)) throw notFound();
    await sendCacheable(known, reply, this.document.of(version));
  }
}
