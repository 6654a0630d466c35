import { Get, Req } from '@nestjs/common';
import type { ApiRequest } from '../../http/api-request.js';
import { KindController, RecordController } from '../../record/record.controller.js';
import type { RecordAnswer } from '../../record/record-answer.js';
import { Access } from '../../http/access.decorator.js';
import { User } from './user.entity.js';
import { UserService } from './user.service.js';

/** `/users`: the standard routes and `whoami`. */
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
}
