import { Body, Get, Param, Put, Req } from '@nestjs/common';
import type { ApiRequest } from '../../http/api-request.js';
import { KindController, RecordController } from '../../record/record.controller.js';
import type { RecordAnswer } from '../../record/record-answer.js';
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
  whoami(@Req() request: ApiRequest): Promise<RecordAnswer> {
    return this.service.whoami(request.viewer, request.query);
  }

  /** The third step of an upload: the file becomes the user's avatar. */
  @Put(':id/import-avatar')
  importAvatar(
    @Req() request: ApiRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RecordAnswer> {
    return this.service.importAvatar(id, body, request);
  }
}
