import { Controller, Get, Param, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { ApiRequest } from '../http/api-request.js';
import { forbidden, notFound } from '../common/errors.js';
import { Describe } from '../openapi-model/operation.decorator.js';
import { Access } from '../http/access.decorator.js';
import { DownloadLinks, type Variant } from './download-links.js';
import { FILE_TYPES, servedType } from './file-types.js';
import { sendBytes } from '../http/send-bytes.js';
import { objectSource } from '../storage/object-source.js';
import { StoredFiles } from './stored-files.js';
import { FileStorage } from '../storage/file-storage.js';

const VARIANTS: ReadonlySet<string> = new Set<Variant>(['file', 'thumbnail']);

/**
 * `/files/:id/:variant`: the bytes of a private file, for valid signed links. The service sends them whatever the storage
 * is, so that it sets the headers and a deleted file is inaccessible at once.
 */
@Controller({ path: 'files', version: VERSION_NEUTRAL })
@Access('open')
export class DownloadController {
  constructor(
    private readonly links: DownloadLinks,
    private readonly files: StoredFiles,
    private readonly storage: FileStorage,
  ) {}

  @Get(':id/:variant')
  @Describe({
    id: 'downloadFile',
    tag: 'ObjectFile',
    summary: 'The bytes of a file',
    description:
      'At the signed paths in the links `file` and `thumbnail` of an ObjectFile, which work for 15 minutes, without ' +
      'a session.',
    path: {
      id: { type: 'string', description: 'The id of the file.' },
      variant: {
        type: 'string',
        enum: ['file', 'thumbnail'],
        description: 'The file, or its thumbnail.',
      },
    },
    query: ['expires', 'signature'].map((name) => ({
      name,
      description: 'Part of the link.',
      schema: { type: 'string' },
      required: true,
    })),
    response: { bytes: '*/*', also: { 206: 'The bytes that `Range` asks for.' } },
    headers: {
      'Content-Disposition': 'The name of the file; `inline` for raster pictures, otherwise `attachment`.',
      'Accept-Ranges': '`bytes`.',
    },
    errors: ['forbidden', 'notFound', 'rangeNotSatisfiable'],
  })
  /** Takes the request itself, for conditions, ranges and disconnects. */
  async download(
    @Req() request: ApiRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Param('variant') variant: string,
  ): Promise<void> {
    if (!VARIANTS.has(variant)) throw notFound();
    if (!this.links.allows(id, variant as Variant, request.query)) {
      throw forbidden('This link is not valid, or is over. Read the file record again for a new one.');
    }
    const file = await this.files.byPublicId(id);
    const key = variant === 'thumbnail' ? file?.thumbnailKey : file?.fileKey;
    if (!file || !key) throw notFound();
    const isRaster = FILE_TYPES.get(file.extension)?.raster !== undefined;
    await sendBytes(request, reply, objectSource(this.storage, key), {
      contentType: servedType(file.extension),
      disposition: contentDisposition(file.filename, { type: isRaster ? 'inline' : 'attachment' }),
      // The bytes of a ready file never change.
      version: `${id}-${variant}`,
      // The link is one person's secret, so shared caches must not store the response.
      cacheControl: 'private, max-age=600',
    });
  }
}
