import { Body, Controller, Delete, Get, Param, Post, Put, Req } from '@nestjs/common';
import type { ApiRequest } from '../http/api-request.js';
import { Access } from '../http/access.decorator.js';
import { RequestAsker } from '../http/request-asker.js';
import { Describe } from '../openapi-model/operation.decorator.js';
import { type EntityClass, kindOf } from './schema/kind.js';
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
import type { RecordAnswer } from './response/record-answer.js';
import type { RecordService } from './record.service.js';

/** Nest's @Controller at the kind's own path and version, which stand in the declaration alone. */
export function KindController(entity: EntityClass): ClassDecorator {
  const { path, version } = kindOf(entity);
  return Controller({ path, version });
}

/**
 * The standard routes of a kind (interface.md, "Generic record operations"). A kind's controller extends it, with
 * @KindController, and adds operations of its own. Variation belongs in the service's hooks: a route method that is
 * overridden loses its route.
 */
@Access('kind')
export abstract class RecordController {
  protected abstract readonly service: RecordService;

  @Get()
  @Describe(listOperation)
  list(@Req() request: ApiRequest): Promise<RecordAnswer> {
    return this.service.list(request.viewer, request.query, new RequestAsker(request));
  }

  @Get('options')
  @Describe(optionsOperation)
  options(@Req() request: ApiRequest): Promise<Record<string, readonly Option[]>> {
    return this.service.options(request.viewer);
  }

  @Get(':id')
  @Describe(readOperation)
  read(@Req() request: ApiRequest, @Param('id') id: string): Promise<RecordAnswer> {
    return this.service.read(request.viewer, id, request.query);
  }

  @Post()
  @Describe(createOperation)
  create(@Req() request: ApiRequest, @Body() body: unknown): Promise<RecordAnswer> {
    return this.service.create(body, request);
  }

  @Put(':id')
  @Describe(updateOperation)
  update(@Req() request: ApiRequest, @Param('id') id: string, @Body() body: unknown): Promise<RecordAnswer> {
    return this.service.update(id, body, request);
  }

  @Delete(':id')
  @Describe(removeOperation)
  remove(@Req() request: ApiRequest, @Param('id') id: string): Promise<RecordAnswer> {
    return this.service.remove(id, request);
  }

  @Get(':id/:relation')
  @Describe(relationOperations)
  relation(
    @Req() request: ApiRequest,
    @Param('id') id: string,
    @Param('relation') relation: string,
  ): Promise<RecordAnswer> {
    return this.service.relation(request.viewer, id, relation, request.query, new RequestAsker(request));
  }
}
