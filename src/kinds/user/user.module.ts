import { Module } from '@nestjs/common';
import { SessionStoreModule } from '../../auth/session-store.module.js';
import { ObjectFileModule } from '../object-file/object-file.module.js';
import { AvatarImageController } from './avatar-image.controller.js';
import { FirstAdmin } from './first-admin.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

/** The kind User. */
@Module({
  imports: [ObjectFileModule, SessionStoreModule],
  controllers: [UserController, AvatarImageController],
  providers: [UserService, FirstAdmin],
  exports: [FirstAdmin],
})
export class UserModule {}
