import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { Access } from '../http/access.decorator.js';
import { Describe } from '../openapi-model/operation.decorator.js';
import { type JsonSchema, objectOf } from '../openapi-model/json-schema.js';
import { Health, type Healthy } from './health.js';

const OK: JsonSchema = { ...objectOf({ status: { type: 'string', const: 'ok' } }), description: 'It is.' };

/** {@link Health} for operators, outside of the versioned API. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
@Access('open')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  @Describe({ id: 'live', tag: 'Health', summary: 'Is the process alive?', response: { json: OK } })
  live(): Healthy {
    return this.health.live();
  }

  @Get('ready')
  @Describe({ id: 'ready', tag: 'Health', summary: 'Can requests be served?', response: { json: OK } })
  ready(): Promise<Healthy> {
    return this.health.ready();
  }
}
