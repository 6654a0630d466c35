import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import type { Requester } from '../common/requester.js';
import type { Viewer } from '../common/viewer.js';
import { Access } from '../http/access.decorator.js';
import { Caller, CurrentRequester, CurrentViewer } from '../http/param-decorators.js';
import type { QueryParams } from '../http/query.js';
import { Describe } from '../openapi-model/operation.decorator.js';
import { kindOf } from './schema/kind.js';
import type { EntityClass } from './schema/kind-def.js';
import {
  createOperation,
  listOperation,
  optionsOperation,
  readOperation,
  relationOperations,
  removeOperation,
  updateOperation,
} from './openapi/operations.js';
import type { Option } from './response/options.js';
import type { RecordResponse } from './response/record-response.js';
import type { RecordService, WriteRequest } from './record.service.js';

/** Nest's @Controller with the path and version of the kind's declaration. */
export function KindController(entity: EntityClass): ClassDecorator {
  const { path, version } = kindOf(entity);
  return Controller({ path, version });
}

/**
 * The standard routes of a kind. A kind's controller extends it, with @KindController, and adds operations of its own.
 * Variation belongs in the service's hooks: a route method that is overridden loses its route.
 */
@Access('kind')
export abstract class RecordController {
  protected abstract readonly service: RecordService;

  @Get()
  @Describe(listOperation)
  list(
    @CurrentViewer() viewer: Viewer,
    @Query() query: QueryParams,
    @CurrentRequester() requester: Requester,
  ): Promise<RecordResponse> {
    return this.service.list(viewer, query, requester);
  }

  @Get('options')
  @Describe(optionsOperation)
  options(@CurrentViewer() viewer: Viewer): Promise<Record<string, readonly Option[]>> {
    return this.service.options(viewer);
  }

  @Get(':id')
  @Describe(readOperation)
  read(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @Query() query: QueryParams,
  ): Promise<RecordResponse> {
    return this.service.read(viewer, id, query);
  }

  @Post()
  @Describe(createOperation)
  create(@Body() body: unknown, @Caller() caller: WriteRequest): Promise<RecordResponse> {
    return this.service.create(body, caller);
  }

  @Put(':id')
  @Describe(updateOperation)
  update(
    @Param('id') id: string,
    @Body() body: unknown,
    @Caller() caller: WriteRequest,
  ): Promise<RecordResponse> {
    return this.service.update(id, body, caller);
  }

  @Delete(':id')
  @Describe(removeOperation)
  remove(@Param('id') id: string, @Caller() caller: WriteRequest): Promise<RecordResponse> {
    return this.service.remove(id, caller);
  }

  @Get(':id/:relation')
  @Describe(relationOperations)
  relation(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @Param('relation') relation: string,
    @Query() query: QueryParams,
    @CurrentRequester() requester: Requester,
  ): Promise<RecordResponse> {
    return this.service.relation(viewer, id, relation, query, requester);
  }
}
