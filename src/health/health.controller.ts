import { Controller, Get } from '@nestjs/common';
import { unavailable } from '../http/errors.js';
import { Access } from '../http/access.decorator.js';
import { ReadinessProbe } from './readiness-probe.js';

/** Milliseconds that a probe may take. */
const PROBE_MS = 2_500;

/** For whoever runs the service: is the process alive, and can it serve? Outside the versioned API. */
@Controller('health')
@Access('open')
export class HealthController {
  constructor(private readonly probe: ReadinessProbe) {}

  /** 200 as long as the process answers. */
  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** 200 when requests can be served; 503 within {@link PROBE_MS} when not. */
  @Get('ready')
  async ready(): Promise<{ status: string }> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PROBE_MS);
    });
    const isReady = await Promise.race([this.ask(), late]);
    clearTimeout(timer);
    if (!isReady) throw unavailable();
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
