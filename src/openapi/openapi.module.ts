import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiController } from './openapi.controller.js';
import { OpenApiDocument } from './openapi-document.js';
import { Routes } from '../openapi-model/routes.js';

/** The description of the API: for programs at `/openapi.json`, for people at `/docs`. */
@Module({ controllers: [OpenApiController, DocsController], providers: [OpenApiDocument, Routes] })
export class OpenApiModule {}
