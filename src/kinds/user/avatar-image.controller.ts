import { objectSource } from '../../storage/object-source.js';
import { Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ApiRequest } from '../../http/api-request.js';
import { Describe } from '../../openapi-model/operation.decorator.js';
import { KindController } from '../../record/record.controller.js';
import type { RowOf } from '../../record/row.js';
import { Access } from '../../http/access.decorator.js';
import { FileStorage } from '../../storage/file-storage.js';
import { servedType } from '../../files/file-types.js';
import { sendBytes, type ServedAs, type Source, textSource } from '../../http/send-bytes.js';
import { StoredFiles } from '../../files/stored-files.js';
import { defaultPicture } from './default-picture.js';
import { User } from './user.entity.js';
import { UserService } from './user.service.js';

/** Seconds: the picture at an address with its version never changes, that at a bare address may. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const FOR_NOW = 'public, max-age=60';

/** `/users/:id/avatar-image`: the picture of a user, for everybody; a generated one if none was imported. */
@KindController(User)
@Access('open')
export class AvatarImageController {
  constructor(
    private readonly users: UserService,
    private readonly files: StoredFiles,
    private readonly storage: FileStorage,
  ) {}

  @Get(':id/avatar-image')
  @Describe({
    id: 'readAvatarImage',
    summary: 'The picture of a user',
    description: 'For everyone. A user without an avatar has initials on a colour, as SVG.',
    query: [
      {
        name: 'v',
        description: 'The version in the link `avatarImage`: with it the answer may be cached forever.',
        schema: { type: 'string' },
      },
    ],
    response: {
      bytes: 'image/*',
      also: { 206: 'The bytes that `Range` asks for.', 304: '`If-None-Match` names this picture.' },
    },
    headers: { ETag: 'The version of the picture.', 'Cache-Control': 'How long it may be cached.' },
    errors: ['notFound', 'rangeNotSatisfiable'],
  })
  /** Takes the request itself, for conditions, ranges and disconnects. */
  async image(
    @Req() request: ApiRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    const row = await this.users.pictured(id);
    const { source, contentType, version } = await this.picture(row, id);
    await sendBytes(request, reply, source, {
      contentType,
      disposition: 'inline',
      version,
      cacheControl: request.query.get('v')?.[0] === version ? FOR_EVER : FOR_NOW,
    });
  }

  private async picture(row: RowOf<User>, id: string): Promise<Picture> {
    const file = typeof row.avatarId === 'string' ? await this.files.byRowId(row.avatarId) : null;
    if (file) {
      // Prefer the thumbnail: a file that was imported for another relation may be large.
      const source = objectSource(this.storage, file.thumbnailKey ?? file.fileKey);
      return { source, contentType: servedType(file.extension), version: this.users.pictureVersion(row) };
    }
    // The row may name a file that was deleted since it was read.
    const none = { ...row, avatarId: null };
    const source = textSource(defaultPicture(this.users.initials(row), id));
    return { source, contentType: 'image/svg+xml; charset=utf-8', version: this.users.pictureVersion(none) };
  }
}

type Picture = Pick<ServedAs, 'contentType' | 'version'> & { readonly source: Source };
