import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { within } from '../async/within.js';
import { unavailable } from '../http/errors.js';
import { Access } from '../http/access.decorator.js';
import { Describe } from '../openapi/operation.decorator.js';
import { type JsonSchema, objectOf } from '../openapi/json-schema.js';
import { ReadinessProbe } from './readiness-probe.js';

/** Milliseconds that a probe may take. */
const PROBE_MS = 2_500;

const OK: JsonSchema = { ...objectOf({ status: { type: 'string', const: 'ok' } }), description: 'It is.' };

/** For whoever runs the service: is the process alive, and can it serve? Outside the versioned API. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
@Access('open')
export class HealthController {
  constructor(private readonly probe: ReadinessProbe) {}

  /** 200 as long as the process answers. */
  @Get('live')
  @Describe({ id: 'live', tag: 'Health', summary: 'Is the process alive?', answer: { json: OK } })
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** 200 when requests can be served; 503 within {@link PROBE_MS} when not. */
  @Get('ready')
  @Describe({ id: 'ready', tag: 'Health', summary: 'Can requests be served?', answer: { json: OK } })
  async ready(): Promise<{ status: string }> {
    if (!(await within(PROBE_MS, this.ask(), false))) throw unavailable();
    return { status: 'ok' };
  }

  private async ask(): Promise<boolean> {
    try {
      return await this.probe.ready();
    } catch {
      return false;
    }
  }
}
