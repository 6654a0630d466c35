import { Body, Get, Param, Put, Query } from '@nestjs/common';
import type { Viewer } from '../../common/viewer.js';
import { Caller, CurrentViewer } from '../../http/param-decorators.js';
import type { QueryParams } from '../../http/query.js';
import { KindController, RecordController } from '../../record/record.controller.js';
import type { WriteRequest } from '../../record/record.service.js';
import type { RecordResponse } from '../../record/response/record-response.js';
import { objectOf } from '../../openapi-model/json-schema.js';
import { Describe } from '../../openapi-model/operation.decorator.js';
import { EXAMPLE_ID, ID_SCHEMA } from '../../record/ids/ids.js';
import { Access } from '../../http/access.decorator.js';
import { User } from './user.entity.js';
import { UserService } from './user.service.js';

/** `/users`: the standard routes, `whoami` and `import-avatar`. */
@KindController(User)
export class UserController extends RecordController {
  constructor(protected readonly service: UserService) {
    super();
  }

  /** The user of the session. */
  @Get('whoami')
  @Access('login')
  @Describe({
    id: 'whoami',
    summary: 'Read the user of the session',
    response: { record: 'User' },
    errors: ['invalid'],
  })
  whoami(@CurrentViewer() viewer: Viewer, @Query() query: QueryParams): Promise<RecordResponse> {
    return this.service.whoami(viewer, query);
  }

  /** The third step of an upload: the file becomes the user's avatar. */
  @Put(':id/import-avatar')
  @Access('login')
  @Describe({
    id: 'importAvatar',
    summary: 'Make an uploaded file the avatar of a user',
    description:
      'The third step of an upload: the service checks the bytes, writes a new picture of 300 × 300 pixels and makes ' +
      'it the avatar. Only for owners of both the user and the file.',
    conditional: true,
    body: {
      schema: objectOf({ objectFileId: { ...ID_SCHEMA, description: 'The id of an ObjectFile.' } }),
      examples: { import: { objectFileId: EXAMPLE_ID } },
    },
    response: { record: 'User' },
    errors: ['notFound', 'conflict', 'tooLarge', 'unsupportedType', 'missing', 'invalid'],
  })
  importAvatar(
    @Param('id') id: string,
    @Body() body: unknown,
    @Caller() caller: WriteRequest,
  ): Promise<RecordResponse> {
    return this.service.importAvatar(id, body, caller);
  }
}
