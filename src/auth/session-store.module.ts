import { Module } from '@nestjs/common';
import { Passwords } from './passwords.js';
import { RateLimits } from './rate-limits.js';
import { SessionStore } from './session-store.js';

/** Providers for both the kind User and the logins, which do not depend on each other. */
@Module({ providers: [SessionStore, Passwords, RateLimits], exports: [SessionStore, Passwords, RateLimits] })
export class SessionStoreModule {}
