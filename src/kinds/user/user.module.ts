import { Module } from '@nestjs/common';
import { FirstAdmin } from './first-admin.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

/** The kind User. */
@Module({ controllers: [UserController], providers: [UserService, FirstAdmin], exports: [FirstAdmin] })
export class UserModule {}
