import { Module } from '@nestjs/common';
import { Passwords } from './passwords.js';
import { RateLimits } from './rate-limits.js';
import { SessionStore } from './session-store.js';

/** What both the kind User and the logins need: neither knows the other. */
@Module({ providers: [SessionStore, Passwords, RateLimits], exports: [SessionStore, Passwords, RateLimits] })
export class SessionStoreModule {}
