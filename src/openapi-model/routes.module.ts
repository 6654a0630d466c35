import { Module } from '@nestjs/common';
import { Routes } from './routes.js';

/** The routes of the service: for those who describe them, and for those who add one that no controller has. */
@Module({ providers: [Routes], exports: [Routes] })
export class RoutesModule {}
