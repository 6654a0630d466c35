import { Module } from '@nestjs/common';
import { Routes } from './routes.js';

/** The routes of the service, for their description and for adding routes without a controller. */
@Module({ providers: [Routes], exports: [Routes] })
export class RoutesModule {}
