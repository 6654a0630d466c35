import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DeviceCookie } from './device-cookie.js';
import { LoginService } from './login.service.js';
import { SessionController } from './session.controller.js';
import { SessionCookie } from './session-cookie.js';
import { SessionGuard } from './session.guard.js';
import { SessionService } from './session.service.js';
import { SessionStoreModule } from './session-store.module.js';

/** Login, logout, and the guard in front of every route. */
@Module({
  imports: [SessionStoreModule],
  controllers: [SessionController],
  providers: [
    LoginService,
    SessionService,
    SessionCookie,
    DeviceCookie,
    SessionGuard,
    { provide: APP_GUARD, useExisting: SessionGuard },
  ],
  exports: [LoginService, SessionCookie, DeviceCookie, SessionGuard],
})
export class SessionModule {}
