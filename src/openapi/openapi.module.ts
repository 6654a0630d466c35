import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiController } from './openapi.controller.js';
import { OpenApiDocument } from './openapi-document.js';
import { RoutesModule } from '../openapi-model/routes.module.js';

/** The description of the API: for programs at `/openapi.json`, for people at `/docs`. */
@Module({
  imports: [RoutesModule],
  controllers: [OpenApiController, DocsController],
  providers: [OpenApiDocument],
})
export class OpenApiModule {}
